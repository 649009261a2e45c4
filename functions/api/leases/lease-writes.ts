/** PUT and PATCH of leases: the quick way where it applies, the way of every resource otherwise. */
import type { Lease } from '../../../shared/kube/objects.ts'
import { decodeResource } from '../request/decode.ts'
import { type WriteOptions, writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { patchObject } from '../verbs/patch.ts'
import { readPatch } from '../verbs/read-patch.ts'
import { putObject } from '../verbs/update.ts'
import { renewByPatch, renewByPut } from './renewal.ts'

export async function updateLease(request: ResourceRequest): Promise<Response> {
  const options = writeOptions(request.query, 'UpdateOptions')
  const { object, warnings } = await decodeResource(request, options.fieldValidation)
  const put = { object, warnings, dryRun: options.dryRun }
  if (!isQuick(request, options) || warnings.length > 0) return await putObject(request, put)
  const attempt = await renewByPut(request, object as Lease)
  if (attempt.kind === 'answered') return attempt.response
  return await putObject(request, { ...put, found: attempt.found })
}

export async function patchLease(request: ResourceRequest): Promise<Response> {
  const patch = await readPatch(request)
  const isMerge = patch.type === 'merge' || patch.type === 'strategic'
  if (!isMerge || !isQuick(request, patch.options)) return await patchObject(request, patch)
  const attempt = await renewByPatch(request, patch.patch)
  if (attempt.kind === 'answered') return attempt.response
  return await patchObject(request, patch, attempt.found)
}

const isQuick = ({ format }: ResourceRequest, { dryRun }: WriteOptions): boolean =>
  !dryRun && format.as === 'object'
