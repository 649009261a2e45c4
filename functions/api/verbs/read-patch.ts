/** What does the client want changed, and in which of the four patch formats? */
import { bodyText } from '../../../shared/kube/decode/body.ts'
import { duplicateKeys, isObject } from '../../../shared/kube/json.ts'
import { type Patch, parsePatch } from '../../../shared/kube/patch/parse-patch.ts'
import { badRequest } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { readBody } from '../request/body.ts'
import { checkApplyOptions, type WriteOptions, writeOptions } from '../request/options.ts'

export interface PatchBody extends Patch {
  readonly options: WriteOptions
  /** Paths of keys written twice, where the client asked. YAML with such keys is refused. */
  readonly duplicates?: readonly string[]
}

export async function readPatch(request: ResourceRequest): Promise<PatchBody> {
  const { raw, query } = request
  const options = writeOptions(query, 'PatchOptions')
  const bytes = await readBody(request)
  const contentType = raw.headers.get('content-type') ?? undefined
  const { type, patch, isJson } = await parsePatch(bytes, contentType)
  checkApplyOptions(query, type === 'apply')
  if (type === 'apply') checkApplied(patch)
  const findsDuplicates = isJson && options.fieldValidation !== 'Ignore'
  return {
    type,
    patch,
    options,
    ...(findsDuplicates && { duplicates: duplicateKeys(bodyText(bytes)) }),
  }
}

function checkApplied(patch: unknown): void {
  if (!isObject(patch)) throw badRequest('an apply patch must be an object')
  if (isObject(patch.metadata) && patch.metadata.managedFields !== undefined) {
    throw badRequest('metadata.managedFields must be nil')
  }
}
