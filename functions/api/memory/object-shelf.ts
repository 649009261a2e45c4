/**
 * Nodes, pods, events and namespaces, with everything that must happen in the same commit as their
 * change.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Resource } from '../../../shared/kube/resource.ts'
import type { Step, Store, StoredObject } from '../../../shared/store/ports.ts'
import { receivedAtMs } from '../nodes/status-beat.ts'
import {
  compareKeys,
  type Shelf,
  type ShelfPage,
  type ShelfPageFound,
  type Written,
} from './shelf.ts'
import { stepsBeside } from './steps-beside.ts'

// As long as kube-apiserver keeps them.
const EVENT_LIFE_MS = 60 * 60 * 1000

export function objectShelf(store: Store, resource: Resource, nowMs: number): Shelf<StoredObject> {
  const { plural } = resource
  const stamps = (object: KubeObject, old?: StoredObject) => ({
    object,
    fields: resource.selectable(object),
    ...(plural === 'nodes' && { receivedAtMs: receivedAtMs(object, old, nowMs) }),
    ...(plural === 'events' && { expiresAtMs: nowMs + EVENT_LIFE_MS }),
  })
  const commit = (step: Step, old: KubeObject | undefined, next: KubeObject | undefined) =>
    commitAll(store, resource, [step, ...stepsBeside(plural, old, next)], next ?? old!)

  return {
    get: (key) => store.objects.get(plural, key),
    create: (object) =>
      commit({ do: 'createObject', resource: plural, ...stamps(object) }, undefined, object),
    replace: (object, believed) =>
      commit(
        { do: 'replaceObject', believed, ...stamps(object, believed) },
        believed.object,
        object,
      ),
    remove: (believed, leavesLease = false) =>
      leavesLease
        ? commitAll(store, resource, [{ do: 'deleteObject', believed }], believed.object)
        : commit({ do: 'deleteObject', believed }, believed.object, undefined),
    page: (request) => pageOf(store, resource, request),
  }
}

async function commitAll(
  store: Store,
  resource: Resource,
  steps: readonly Step[],
  object: KubeObject,
): Promise<Written> {
  const outcome = await store.commit(steps)
  if (outcome.kind === 'outrun')
    return outcome.found ? { kind: 'outrun', found: outcome.found } : { kind: 'outrun' }
  const version = outcome.versions[0]!
  const { name = '', namespace = '', uid = '' } = object.metadata
  const stamped = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
  const key = { namespace: resource.namespaced ? namespace : '', name }
  return { kind: 'written', now: { key, uid, version, object: stamped } }
}

async function pageOf(
  store: Store,
  { plural, namespaced }: Resource,
  request: ShelfPage,
): Promise<ShelfPageFound> {
  const { exact, namespace, after, limit } = request
  const name = exact['metadata.name']
  const place = namespaced ? namespace : ''
  // One name in one place is one read.
  if (name && place !== undefined) {
    const found = after ? undefined : await store.objects.get(plural, { namespace: place, name })
    return { items: found ? [found] : [] }
  }
  if (plural === 'pods' && exact['spec.nodeName']) {
    return podsOn(store, exact['spec.nodeName'], request)
  }
  const page = await store.objects.list(plural, { namespace, after, limit })
  const last = page.items.at(-1)
  return { items: page.items, ...(page.more && last && { next: last.key }) }
}

async function podsOn(store: Store, nodeName: string, request: ShelfPage): Promise<ShelfPageFound> {
  const { namespace, after } = request
  const found = await store.objects.podsOn(nodeName)
  const items = found
    .filter(({ key }) => namespace === undefined || key.namespace === namespace)
    .filter(({ key }) => !after || compareKeys(key, after) > 0)
    .toSorted((a, b) => compareKeys(a.key, b.key))
  const page = items.slice(0, request.limit)
  return { items: page, ...(page.length < items.length && { next: page.at(-1)!.key }) }
}
