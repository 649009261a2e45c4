/** PUT and PATCH of leases: the quick way where it applies, the way of every resource otherwise. */
import type { Lease } from '../../../shared/kube/objects.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { Answer } from '../answer/plain-answer.ts'
import { decodeResource } from '../request/decode.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { type PatchBody, readPatch } from '../verbs/read-patch.ts'
import type { Put } from '../verbs/update.ts'
import { renewByPatch, renewByPut } from './renewal.ts'

export async function updateLease(request: ResourceRequest): Promise<Answer> {
  const options = writeOptions(request.query, 'UpdateOptions')
  const { object, warnings } = await decodeResource(request, options.fieldValidation)
  const put = { object, warnings, dryRun: options.dryRun }
  if (!isQuick(request, options) || warnings.length > 0) return await putSlowly(request, put)
  const attempt = await renewByPut(request, object as Lease)
  if (attempt.kind === 'answered') return attempt.answer
  return await putSlowly(request, { ...put, found: attempt.found })
}

export async function patchLease(request: ResourceRequest): Promise<Answer> {
  const patch = await readPatch(request)
  const isMerge = patch.type === 'merge' || patch.type === 'strategic'
  const isPlain = isMerge && !patch.duplicates?.length
  if (!isPlain || !isQuick(request, patch.options)) return await patchSlowly(request, patch)
  const attempt = await renewByPatch(request, patch.patch)
  if (attempt.kind === 'answered') return attempt.answer
  return await patchSlowly(request, patch, attempt.found)
}

const isQuick = ({ format }: ResourceRequest, { dryRun }: WriteOptions): boolean =>
  !dryRun && format.as === 'object'

/** A renewal seldom comes this way, and a cold process need not be ready for it. */
async function putSlowly(request: ResourceRequest, put: Put): Promise<Response> {
  const { putObject } = await import('../verbs/update.ts')
  return await putObject(request, put)
}

async function patchSlowly(
  request: ResourceRequest,
  patch: PatchBody,
  found?: StoredLease,
): Promise<Response> {
  const { patchObject } = await import('../verbs/patch.ts')
  return await patchObject(request, patch, found)
}
