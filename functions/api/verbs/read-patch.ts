/** What does the client want changed, and in which of the four languages does it say so? */
import { isObject } from '../../../shared/kube/json.ts'
import { type Patch, parsePatch } from '../../../shared/kube/patch/parse-patch.ts'
import { badRequest } from '../../../shared/kube/status-error.ts'
import { readBody } from '../request/body.ts'
import { checkApplyOptions, type WriteOptions, writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export interface PatchBody extends Patch {
  readonly options: WriteOptions
}

export async function readPatch({ api, raw, query }: ResourceRequest): Promise<PatchBody> {
  const options = writeOptions(query, 'PatchOptions')
  const bytes = await readBody(raw, api.settings.bodyLimitBytes)
  const { type, patch } = await parsePatch(bytes, raw.headers.get('content-type') ?? undefined)
  checkApplyOptions(query, type === 'apply')
  if (type === 'apply') checkApplied(patch)
  return { type, patch, options }
}

function checkApplied(patch: unknown): void {
  if (!isObject(patch)) throw badRequest('an apply patch must be an object')
  if (isObject(patch.metadata) && patch.metadata.managedFields !== undefined) {
    throw badRequest('metadata.managedFields must be nil')
  }
}
