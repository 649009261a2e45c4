/** What does the client want changed, and in which of the four languages does it say so? */
import { bodyText } from '../../../shared/kube/decode.ts'
import { duplicateKeys, isObject } from '../../../shared/kube/json.ts'
import { type Patch, parsePatch } from '../../../shared/kube/patch/parse-patch.ts'
import { badRequest } from '../../../shared/kube/status-error.ts'
import { readBody } from '../request/body.ts'
import { checkApplyOptions, type WriteOptions, writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export interface PatchBody extends Patch {
  readonly options: WriteOptions
  /** Paths of the keys written twice, for those who asked. YAML with such keys is never read. */
  readonly duplicates?: readonly string[]
}

export async function readPatch({ api, raw, query }: ResourceRequest): Promise<PatchBody> {
  const options = writeOptions(query, 'PatchOptions')
  const bytes = await readBody(raw, api.settings.bodyLimitBytes)
  const contentType = raw.headers.get('content-type') ?? undefined
  const { type, patch, isJson } = await parsePatch(bytes, contentType)
  checkApplyOptions(query, type === 'apply')
  if (type === 'apply') checkApplied(patch)
  const looksTwice = isJson && options.fieldValidation !== 'Ignore'
  return { type, patch, options, ...(looksTwice && { duplicates: duplicateKeys(bodyText(bytes)) }) }
}

function checkApplied(patch: unknown): void {
  if (!isObject(patch)) throw badRequest('an apply patch must be an object')
  if (isObject(patch.metadata) && patch.metadata.managedFields !== undefined) {
    throw badRequest('metadata.managedFields must be nil')
  }
}
