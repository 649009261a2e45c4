/** One request for a resource from beginning to end: who, what, may they, do it. */
import type { Identity } from '../../shared/auth/identity.ts'
import type { Verb } from '../../shared/kube/resource.ts'
import { StatusError } from '../../shared/kube/status-error.ts'
import { negotiate } from './answer/accept.ts'
import { pageNotFound } from './answer/failure.ts'
import type { Api } from './deps.ts'
import { patchLease, updateLease } from './leases/lease-writes.ts'
import { nowOf } from './now.ts'
import { bind } from './pods/binding.ts'
import { evict } from './pods/eviction.ts'
import { identify } from './request/access.ts'
import { flag } from './request/options.ts'
import { authorise } from './request/resource-access.ts'
import type { ResourceRequest } from './request/resource-request.ts'
import { selectionOf } from './request/selection.ts'
import { parseTarget, type ResourceTarget } from './request/target.ts'
import { create } from './verbs/create.ts'
import { remove } from './verbs/delete.ts'
import { get } from './verbs/get.ts'
import { list } from './verbs/list.ts'
import { patch } from './verbs/patch.ts'
import { update } from './verbs/update.ts'
import { watch } from './verbs/watch.ts'

type Handler = (request: ResourceRequest) => Promise<Response>

const VERBS: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
}

export async function serveResource(api: Api, raw: Request): Promise<Response> {
  const nowMs = nowOf(api)
  const { pathname: path, searchParams: query } = new URL(raw.url)
  const readTarget = () => parseTarget(raw.method, path, flag(query, 'watch'))
  const identity = await identifyOrTell(api, raw, nowMs, readTarget)
  const target = readTarget()
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
  raw: Request,
  nowMs: number,
  readTarget: () => ResourceTarget | undefined,
): Promise<Identity> {
  try {
    return await identify(api, raw, nowMs)
  } catch (error) {
    // A 429 here is the caller's own doing: one mad host must not blind the monitor.
    if (error instanceof StatusError && error.code < 500) throw error
    const target = readTarget()
    if (target && isBeat(target)) api.onOwnFailure?.(target)
    throw error
  }
}

async function perform(request: ResourceRequest): Promise<Response> {
  try {
    if (request.resource.plural === 'namespaces') await request.api.builtInNamespaces()
    return await handlerOf(request)(request)
  } catch (error) {
    if (isBeat(request) && isOurs(error)) request.api.onOwnFailure?.(request)
    throw error
  }
}

function handlerOf({ verb, resource, subresource }: ResourceRequest): Handler {
  if (subresource?.name === 'eviction') return evict
  if (subresource?.name === 'binding') return bind
  if (resource.plural === 'leases' && verb === 'update') return updateLease
  if (resource.plural === 'leases' && verb === 'patch') return patchLease
  return VERBS[verb]
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
