import { methodNotAllowed } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

/** The watch is a room of its own; an app without one says so, and informers fall back to lists. */
export async function watch(request: ResourceRequest): Promise<Response> {
  if (!request.api.watch) throw methodNotAllowed()
  return await request.api.watch(request)
}
