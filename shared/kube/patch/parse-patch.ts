/** What does the body of a PATCH say, and in which of the four formats? */
import { bodyText, mediaType } from '../decode/body.ts'
import { parseJson } from '../json.ts'
import { unsupportedMediaType } from '../status-error.ts'
import { parseYaml } from '../yaml.ts'

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply'

export interface Patch {
  readonly type: PatchType
  readonly patch: unknown
}

const PATCH_TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
}

export async function parsePatch(
  bytes: Uint8Array,
  contentType: string | undefined,
): Promise<Patch & { readonly isJson: boolean }> {
  const name = mediaType(contentType)
  const type = Object.hasOwn(PATCH_TYPES, name) ? PATCH_TYPES[name] : undefined
  if (!type) {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: ' +
        Object.keys(PATCH_TYPES).join(', '),
    )
  }
  const text = bodyText(bytes)
  // Clients mostly send JSON for an apply too, which is YAML and much cheaper to read.
  const isJson = type !== 'apply' || text.trimStart().startsWith('{')
  return { type, isJson, patch: isJson ? parseJson(text) : await parseYaml(text) }
}
