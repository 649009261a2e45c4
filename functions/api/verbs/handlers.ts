/** Which handler serves which verb and subresource? */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import type { Verb } from '../../../shared/kube/resource.ts'
import { forbidden, methodNotAllowed, notFound } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { writeLease } from '../leases/renewal.ts'
import { bindPod } from '../pods/binding.ts'
import { evictPod } from '../pods/eviction.ts'
import { respondWithStored } from '../response/object-response.ts'
import type { Handler } from '../serve.ts'
import { storageOf } from '../storage/registry.ts'
import { create } from './create.ts'
import { remove } from './delete.ts'
import { removeCollection } from './delete-collection.ts'
import { listCollection } from './list.ts'
import { patch } from './patch.ts'
import { update } from './update.ts'

export const handle: Handler = async (request) => {
  if (READS.has(request.verb)) await requireLivingNode(request)
  return await handlerOf(request)(request)
}

const READS: ReadonlySet<Verb> = new Set(['get', 'list', 'watch'])

/**
 * Does the Node that a host's token was issued for still exist? A write compares the uid itself; a
 * read has nothing to compare with, so the Node is asked for, at most once in a while.
 */
async function requireLivingNode(request: ResourceRequest): Promise<void> {
  const { api, identity, resource, nowMs } = request
  const name = nodeNameOf(identity)
  const { nodeUid } = identity
  if (!name || nodeUid === undefined) return
  if ((await api.nodeUids(name, nowMs, nodeUid)) === nodeUid) return
  const why = 'this token was issued for a Node that is gone; join again'
  throw forbidden(resource, request.key.name, why)
}

function handlerOf({ verb, resource, subresource }: ResourceRequest): Handler {
  if (subresource?.name === 'eviction') return evictPod
  if (subresource?.name === 'binding') return bindPod
  return resource.plural === 'leases' ? LEASE_VERBS[verb] : VERBS[verb]
}

const get: Handler = async (request) => {
  const { api, resource, key, nowMs } = request
  const found = await storageOf(api.store, resource, nowMs).get(key)
  if (!found) throw notFound(resource, key.name)
  return await respondWithStored(request, found)
}

/** Behind an ingress that buffers there are no watches; informers then fall back to lists. */
const watch: Handler = async (request) => {
  if (!request.api.watch) throw methodNotAllowed()
  if (asksForWebSocket(request)) return new Response('', { status: 200 })
  return await request.api.watch(request)
}

/**
 * fabric8 asks for a websocket first. It falls back to plain HTTP when the response has ended (a 200;
 * after a 400 or 503 it does not), and waits in silence for one that has not.
 */
const asksForWebSocket = ({ raw: { headers } }: ResourceRequest): boolean =>
  /(^|[\s,])websocket($|[\s,])/i.test(headers.get('upgrade') ?? '') ||
  headers.get('sec-websocket-key') !== null

const VERBS: Readonly<Record<Verb, Handler>> = {
  get,
  list: listCollection,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
}

const LEASE_VERBS = { ...VERBS, update: writeLease, patch: writeLease }
