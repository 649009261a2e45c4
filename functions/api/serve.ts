/** One request for a resource from beginning to end: who, what, may they, do it. */
import type { Identity } from '../../shared/auth/identity.ts'
import { StatusError } from '../../shared/kube/status-error.ts'
import { negotiate } from './answer/accept.ts'
import { pageNotFound } from './answer/failure.ts'
import type { Answer } from './answer/plain-answer.ts'
import type { Api } from './deps.ts'
import { patchLease, updateLease } from './leases/lease-writes.ts'
import { nowOf } from './now.ts'
import { identify } from './request/access.ts'
import type { Incoming } from './request/incoming.ts'
import { flag } from './request/options.ts'
import { authorise } from './request/resource-access.ts'
import type { ResourceRequest } from './request/resource-request.ts'
import { selectionOf } from './request/selection.ts'
import { parseTarget, type ResourceTarget } from './request/target.ts'

export async function serveResource(api: Api, raw: Incoming): Promise<Answer> {
  const nowMs = nowOf(api)
  const { pathname: path, searchParams: query } = new URL(raw.url)
  const readTarget = () => parseTarget(raw.method, path, flag(query, 'watch'))
  const identity = await identifyOrTell(api, raw, nowMs, readTarget)
  const target = await readTarget()
  if (!target) return pageNotFound()
  const format = negotiate(raw.headers.get('accept'), query)
  const selection = selectionOf(target, query)
  const asked = { raw, path, query, format, selection }
  const request: ResourceRequest = { ...target, ...asked, api, identity, nowMs }
  await authorise(request)
  return await perform(request)
}

/** Not knowing who calls, because keys or records are out of reach, silences hosts as well. */
async function identifyOrTell(
  api: Api,
  raw: Incoming,
  nowMs: number,
  readTarget: () => Promise<ResourceTarget | undefined>,
): Promise<Identity> {
  try {
    return await identify(api, raw, nowMs)
  } catch (error) {
    // A 429 here is the caller's own doing: one mad host must not blind the monitor.
    if (error instanceof StatusError && error.code < 500) throw error
    const target = await readTarget()
    if (target && isBeat(target)) api.onOwnFailure?.(target)
    throw error
  }
}

async function perform(request: ResourceRequest): Promise<Answer> {
  try {
    if (request.resource.plural === 'namespaces') await request.api.builtInNamespaces()
    return await act(request)
  } catch (error) {
    if (isBeat(request) && isOurs(error)) request.api.onOwnFailure?.(request)
    throw error
  }
}

/** A renewal is ready to be served from the start, everything else when it is first asked for. */
async function act(request: ResourceRequest): Promise<Answer> {
  const { verb, resource } = request
  if (resource.plural === 'leases' && verb === 'update') return await updateLease(request)
  if (resource.plural === 'leases' && verb === 'patch') return await patchLease(request)
  const { handlerOf } = await import('./verbs/handlers.ts')
  return await handlerOf(request)(request)
}

/** Could this have been a sign of life? */
function isBeat({ verb, resource, subresource }: ResourceTarget): boolean {
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch') return false
  const isStatus = resource.plural === 'nodes' && subresource?.name === 'status'
  return resource.plural === 'leases' || isStatus
}

/** Not the client's fault: throttled, out of reach, or broken. */
function isOurs(error: unknown): boolean {
  if (!(error instanceof StatusError)) return true
  return error.code === 429 || error.code >= 500
}
