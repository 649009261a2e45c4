/** DELETE and eviction: an object is removed, or marked until its host or a finalizer lets go. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { conflict, modified, notFound, type Status } from '../../../shared/kube/status-error.ts'
import { planDeletion } from '../../../shared/lifecycle/deletion-plan.ts'
import type { ResourceRequest } from '../deps.ts'
import { refuseBuiltInDeletion } from '../namespaces/namespace-checks.ts'
import { orphanLease } from '../nodes/node-lease.ts'
import { unreachableNodeWarnings } from '../pods/unreachable-node-warning.ts'
import { admitChange } from '../request/access.ts'
import { respondWithJson, respondWithObject } from '../response/object-response.ts'
import { storageOf } from '../storage/registry.ts'
import type { ResourceStorage, Stored, WriteOutcome } from '../storage/resource-storage.ts'
import { uidConflict } from './change.ts'
import { type DeleteOptions, readDeleteOptions } from './delete-options.ts'

export async function remove(request: ResourceRequest): Promise<Response> {
  const options = await readDeleteOptions(request)
  const { kind, object } = await deleteObject(request, options)
  if (kind === 'marked') {
    return await respondWithObject(request, object, {
      warnings: await unreachableNodeWarnings(request, object),
    })
  }
  if (SHOWN_WHEN_GONE.includes(request.resource.plural)) {
    return await respondWithObject(request, object)
  }
  return await respondWithJson(request, gone(request, object))
}

/** Kubernetes shows the last state of these, and of other kinds only that the object is gone. */
const SHOWN_WHEN_GONE = ['pods', 'namespaces', 'services', 'csinodes', 'csidrivers']

function gone({ resource }: ResourceRequest, { metadata }: KubeObject): Status {
  const details = {
    name: metadata.name,
    ...(resource.group && { group: resource.group }),
    kind: resource.plural,
    uid: metadata.uid,
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}

interface Deletion {
  readonly kind: 'removed' | 'marked'
  readonly object: KubeObject
}

const TRIES = 5

/** Written to the object before it is deleted, so that watchers can see why. */
type LastUpdate = (object: KubeObject) => KubeObject

interface DeletionHints {
  readonly lastUpdate?: LastUpdate
  /** What is stored, where the caller has just read it. */
  readonly found?: Stored
}

export async function deleteObject(
  request: ResourceRequest,
  options: DeleteOptions,
  { lastUpdate = (object) => object, ...hints }: DeletionHints = {},
): Promise<Deletion> {
  const { api, resource, key, nowMs } = request
  const storage = storageOf(api.store, resource, nowMs)
  let { found } = hints
  for (let attempt = 0; attempt < TRIES; attempt++) {
    found ??= await storage.get(key)
    if (!found) throw notFound(resource, key.name)
    checkPreconditions(request, options, found)
    // For admission an eviction is a create, although it deletes the pod.
    const operation = request.verb === 'create' ? 'create' : 'delete'
    await admitChange(request, { operation, old: found.object })
    refuseBuiltInDeletion(request)
    const candidate = { found, last: lastUpdate(found.object) }
    const outcome = await attemptDeletion(request, options, storage, candidate)
    if ('object' in outcome) return outcome
    found = outcome.kind === 'outrun' ? outcome.found : undefined
  }
  throw modified(resource, key.name)
}

async function attemptDeletion(
  { api, resource, nowMs }: ResourceRequest,
  options: DeleteOptions,
  storage: ResourceStorage,
  { found, last }: Candidate,
): Promise<Deletion | WriteOutcome> {
  const dryRun = (options.dryRun ?? []).length > 0
  const { gracePeriodSeconds: graceSeconds } = options
  const plan = planDeletion({ plural: resource.plural, object: last, graceSeconds, nowMs })
  if (plan.kind === 'remove') {
    if (dryRun) return { kind: 'removed', object: last }
    const leavesLease = resource.plural === 'nodes' && isOrphaning(options)
    if (leavesLease) await orphanLease(api.store, found.object)
    const marked = last === found.object ? undefined : plan.marked
    return await removeAfter(storage, found, { marked, leavesLease })
  }
  const next = plan.kind === 'mark' ? plan.object : last
  if (dryRun || next === found.object) return { kind: 'marked', object: next }
  const outcome = await storage.replace(next, found)
  return outcome.kind === 'written' ? { kind: 'marked', object: outcome.now.object } : outcome
}

interface Candidate {
  readonly found: Stored
  /** As found, after the last update. */
  readonly last: KubeObject
}

interface Removal {
  /** After the last update; absent when there is none. */
  readonly marked: KubeObject | undefined
  readonly leavesLease: boolean
}

/**
 * The last update is a write of its own, because watchers see writes. If the api dies between the
 * two, the monitor removes the object, whose grace is over.
 */
async function removeAfter(
  storage: ResourceStorage,
  found: Stored,
  { marked, leavesLease }: Removal,
): Promise<Deletion | WriteOutcome> {
  const updated = marked && (await storage.replace(marked, found))
  if (updated && updated.kind !== 'written') return updated
  const gone = { ...found, ...updated?.now }
  const outcome = await storage.remove(gone, leavesLease)
  return outcome.kind === 'written' ? { kind: 'removed', object: gone.object } : outcome
}

const isOrphaning = ({ propagationPolicy, orphanDependents }: DeleteOptions): boolean =>
  propagationPolicy === 'Orphan' || orphanDependents === true

function checkPreconditions(
  request: ResourceRequest,
  { preconditions = {} }: DeleteOptions,
  found: Stored,
): void {
  const { uid, resourceVersion } = preconditions
  if (uid !== undefined && uid !== found.uid) {
    throw uidConflict(request, uid, found.uid)
  }
  if (resourceVersion === undefined || resourceVersion === String(found.version)) return
  const why =
    `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ` +
    `ResourceVersion in object meta: ${found.version}`
  throw conflict(request.resource, request.key.name, why)
}
