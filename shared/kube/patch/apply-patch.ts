/**
 * What does the object look like after the patch? A new document; the old one and the patch stay as
 * they are.
 */
import { bodyText, mediaType } from '../decode.ts'
import { MAX_DEPTH, parseJson, tooDeep } from '../json.ts'
import type { ObjectSchema } from '../schema.ts'
import { unsupportedMediaType } from '../status-error.ts'
import { parseYaml } from '../yaml.ts'
import { applyJsonPatch, nestsDeeperThan } from './json-patch.ts'
import { applyMergePatch } from './merge-patch.ts'
import { applyForced, applyStrategicMerge } from './strategic-merge.ts'

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

/** Reads the body of a PATCH; its content type says which of the four it is. */
export async function parsePatch(
  bytes: Uint8Array,
  contentType: string | undefined,
): Promise<Patch> {
  const name = mediaType(contentType)
  const type = Object.hasOwn(PATCH_TYPES, name) ? PATCH_TYPES[name] : undefined
  if (!type) {
    throw unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: ' +
        Object.keys(PATCH_TYPES).join(', '),
    )
  }
  const text = bodyText(bytes)
  if (type !== 'apply') return { type, patch: parseJson(text) }
  // Clients mostly send JSON under this name, which is YAML too and much cheaper to read.
  const isJson = text.trimStart().startsWith('{')
  return { type, patch: isJson ? parseJson(text) : await parseYaml(text) }
}

export interface PatchRequest extends Patch {
  readonly document: unknown
  readonly schema: ObjectSchema
}

export function applyPatch(request: PatchRequest): unknown {
  if (nestsDeeperThan(request.patch, MAX_DEPTH)) throw tooDeep()
  const patched = applyByType(request)
  if (nestsDeeperThan(patched, MAX_DEPTH)) throw tooDeep()
  return patched
}

function applyByType({ type, document, patch, schema }: PatchRequest): unknown {
  switch (type) {
    case 'json':
      return applyJsonPatch(document, patch)
    case 'merge':
      return applyMergePatch(document, patch)
    case 'strategic':
      return applyStrategicMerge(document, patch, schema)
    case 'apply':
      return applyForced(document, patch, schema)
  }
}
