/** Nodes, pods, events and namespaces, with what must change in the same commit as they do. */
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import type { Resource } from '../../../shared/kube/resource.ts'
import {
  TERMINATING_PREFIX,
  type TerminatingNamespace,
} from '../../../shared/lifecycle/record-names.ts'
import { nodeDependents } from '../../../shared/store/node-dependents.ts'
import type { Store, StoredObject, WriteStep } from '../../../shared/store/ports.ts'
import { receivedAtMs } from '../nodes/status-heartbeat.ts'
import {
  compareKeys,
  type Page,
  type PageQuery,
  type ResourceStorage,
  type WriteOutcome,
} from './resource-storage.ts'

// As long as kube-apiserver keeps Events.
const EVENT_TTL_MS = 60 * 60 * 1000

export function objectStorage(
  store: Store,
  resource: Resource,
  nowMs: number,
): ResourceStorage<StoredObject> {
  const { plural } = resource
  const stamps = (object: KubeObject, old?: StoredObject) => ({
    object,
    fields: resource.selectable(object),
    ...(plural === 'nodes' && { receivedAtMs: receivedAtMs(object, old, nowMs) }),
    ...(plural === 'events' && { expiresAtMs: nowMs + EVENT_TTL_MS }),
  })
  const commit = (step: WriteStep, old: KubeObject | undefined, next: KubeObject | undefined) =>
    commitAll(store, resource, [step, ...relatedSteps(plural, old, next)], next ?? old!)

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
    async remove(believed, leavesLease = false) {
      const step: WriteStep = { do: 'deleteObject', believed }
      if (plural !== 'nodes') return await commit(step, believed.object, undefined)
      const dependents = leavesLease ? [] : await nodeDependents(store, believed)
      return await commitAll(store, resource, [step, ...dependents], believed.object)
    },
    page: (request) => pageOf(store, resource, request),
  }
}

async function commitAll(
  store: Store,
  resource: Resource,
  steps: readonly WriteStep[],
  object: KubeObject,
): Promise<WriteOutcome> {
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
  request: PageQuery,
): Promise<Page> {
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

async function podsOn(store: Store, nodeName: string, request: PageQuery): Promise<Page> {
  const { namespace, after } = request
  const found = await store.objects.podsOn(nodeName)
  const items = found
    .filter(({ key }) => namespace === undefined || key.namespace === namespace)
    .filter(({ key }) => !after || compareKeys(key, after) > 0)
    .toSorted((a, b) => compareKeys(a.key, b.key))
  const page = items.slice(0, request.limit)
  return { items: page, ...(page.length < items.length && { next: page.at(-1)!.key }) }
}

/**
 * What else is written in the same commit: the inbox of a pod's host, the order to empty a namespace.
 * `old` is absent for a creation, `next` for a removal.
 */
function relatedSteps(
  plural: string,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): WriteStep[] {
  if (plural === 'namespaces') return old && next ? namespaceSteps(old, next) : []
  if (plural !== 'pods') return []
  const nodeName = hostToNotify(old as Pod | undefined, next as Pod | undefined)
  return nodeName ? [{ do: 'raiseInbox', nodeName }] : []
}

function namespaceSteps(old: KubeObject, { metadata }: KubeObject): WriteStep[] {
  if (old.metadata.deletionTimestamp || !metadata.deletionTimestamp) return []
  const { name: namespace = '', uid = '' } = metadata
  const value: TerminatingNamespace = { namespace, uid }
  // No record of this uid can be there: a deletion cannot be taken back.
  return [{ do: 'putRecord', name: `${TERMINATING_PREFIX}${namespace}/${uid}`, value }]
}

/** A host lists its pods when one was bound to it, must end (or end sooner), or is gone. */
function hostToNotify(old: Pod | undefined, next: Pod | undefined): string | undefined {
  const before = old?.spec?.nodeName
  const after = next?.spec?.nodeName
  if (before !== after) return after ?? before
  const sameEnd = old?.metadata.deletionTimestamp === next?.metadata.deletionTimestamp
  return sameEnd ? undefined : after
}
