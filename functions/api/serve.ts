/** One request for a resource from beginning to end: who calls, for what, may they, do it. */
import type { Identity } from '../../shared/auth/identity.ts'
import { isCollectionVerb } from '../../shared/kube/resource.ts'
import { StatusError } from '../../shared/kube/status-error.ts'
import { correctedNowMs } from '../../shared/lifecycle/clock-skew.ts'
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
  const readTarget = () => parseTarget(raw.method, path, queryFlag(query, 'watch'))
  const identity = await identifyOrReport(api, raw, nowMs, readTarget)
  const target = await readTarget()
  if (!target) return pageNotFound()
  const format = negotiate(raw.headers.get('accept'), query)
  const selection = isCollectionVerb(target.verb) ? selectionOf(target, query) : EVERYTHING
  const request = { ...target, raw, path, query, format, selection, api, identity, nowMs }
  await authoriseResource(request)
  return await perform(request, handle)
}

/**
 * When keys or revocations cannot be read, every caller gets a 5xx, hosts included: report it, so
 * that the monitor does not take their silence for death.
 */
async function identifyOrReport(
  api: ApiContext,
  raw: ApiRequest,
  nowMs: number,
  readTarget: () => Promise<ResourceTarget | undefined>,
): Promise<Identity> {
  try {
    return await identifyCaller(api, raw, nowMs)
  } catch (error) {
    // A 429 here is the caller's own doing: one mad host must not blind the monitor.
    if (error instanceof StatusError && error.code < 500) throw error
    const target = await readTarget()
    if (target && mayBeHeartbeat(target)) api.onApiFailure?.(target)
    throw error
  }
}

async function perform(request: ResourceRequest, handle: Handler): Promise<ApiResponse> {
  try {
    if (request.resource.plural === 'namespaces') await request.api.builtInNamespaces()
    return await handle(request)
  } catch (error) {
    if (mayBeHeartbeat(request) && isApiFailure(error)) request.api.onApiFailure?.(request)
    throw error
  }
}

function mayBeHeartbeat({ verb, resource, subresource }: ResourceTarget): boolean {
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch') return false
  const isNodeStatus = resource.plural === 'nodes' && subresource?.name === 'status'
  return resource.plural === 'leases' || isNodeStatus
}

/** Not the client's fault: throttled, out of reach, or broken. */
function isApiFailure(error: unknown): boolean {
  if (!(error instanceof StatusError)) return true
  return error.code === 429 || error.code >= 500
}
