import { notFound } from '../../../shared/kube/status-error.ts'
import { answerStored } from '../answer/object-answer.ts'
import { shelfOf } from '../memory/shelf.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export async function get(request: ResourceRequest): Promise<Response> {
  const { api, resource, key, nowMs } = request
  const found = await shelfOf(api.store, resource, nowMs).get(key)
  if (!found) throw notFound(resource, key.name)
  return await answerStored(request, found)
}
