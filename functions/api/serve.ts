/** One request for a resource from beginning to end: who calls, for what, may they, do it. */
import { nodeNameOf } from '../../shared/auth/subject.ts'
import { isCollectionVerb } from '../../shared/kube/resource.ts'
import { serviceFaultOf } from '../../shared/kube/status-error.ts'
import { correctedNowMs } from '../../shared/lifecycle/clock-skew.ts'
import { nodeLeaseNamespace } from '../../shared/store/lease-state.ts'
import type { ApiContext, ResourceRequest } from './deps.ts'
import { authoriseResource, identifyCaller } from './request/access.ts'
import type { ApiRequest } from './request/api-request.ts'
import { negotiate, queryFlag } from './request/options.ts'
import { EVERYTHING, selectionOf } from './request/selection.ts'
import { parseTarget, type ResourceTarget } from './request/target.ts'
import { pageNotFound } from './response/failure.ts'
import type { ApiResponse } from './response/json-response.ts'

export type Handler = (request: ResourceRequest) => Promise<ApiResponse>

export async function serveResource(
  api: ApiContext,
  raw: ApiRequest,
  handle: Handler,
): Promise<ApiResponse> {
  const nowMs = correctedNowMs(api.clock, api.store.skewMs)
  const { pathname: path, searchParams: query } = new URL(raw.url)
  const identity = await identifyCaller(api, raw, nowMs)
  const target = await parseTarget(raw.method, path, queryFlag(query, 'watch'))
  if (!target) return pageNotFound()
  const format = negotiate(raw.headers.get('accept'), query)
  const selection = isCollectionVerb(target.verb) ? selectionOf(target, query) : EVERYTHING
  const request = { ...target, raw, path, query, format, selection, api, identity, nowMs }
  await authoriseResource(request)
  return await perform(request, handle)
}

async function perform(request: ResourceRequest, handle: Handler): Promise<ApiResponse> {
  try {
    if (request.resource.plural === 'namespaces') await request.api.builtInNamespaces()
    return await handle(request)
  } catch (error) {
    reportRefusedBeat(request, error)
    throw error
  }
}

/**
 * A beat that we refused for reasons of our own says that its host lives. Only here, where the caller
 * is known and may beat for that node: while keys cannot be read a name in a URL proves nothing, and
 * the monitor's canary, which needs the same keys, tells it instead.
 */
function reportRefusedBeat(request: ResourceRequest, error: unknown): void {
  const { api, identity } = request
  if (!api.onRefusedBeat || serviceFaultOf(error) === undefined || !isBeat(request)) return
  // A create names its object in the body only, which may not even have been read.
  const node = nodeNameOf(identity) ?? request.key.name
  if (!node) return
  const { nodeUid: uid } = identity
  const atMs = correctedNowMs(api.clock, api.store.skewMs)
  api.onRefusedBeat({ node, atMs, ...(uid !== undefined && { uid }) })
}

function isBeat({ verb, resource, subresource, key }: ResourceTarget): boolean {
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch') return false
  if (resource.plural === 'leases') return key.namespace === nodeLeaseNamespace
  return resource.plural === 'nodes' && subresource?.name === 'status'
}
