/**
 * How does an object change? PUT and PATCH differ only in how they propose the next state; from
 * there on the order of checks is Kubernetes': uid, admission, version, fields, write. A race
 * without a named version is run again.
 */
import { deepEqual } from '../../../shared/kube/equal.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { badRequest, conflict, invalid, modified } from '../../../shared/kube/status-error.ts'
import { heldConflict, wouldBeHeld } from '../leases/held.ts'
import { tellOfRival } from '../leases/rival.ts'
import { type Shelf, type Stored, shelfOf, type Written } from '../memory/shelf.ts'
import { withInstallTolerations } from '../pods/install-tolerations.ts'
import { checkSize } from '../request/object-size.ts'
import { admit } from '../request/resource-access.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { withoutManagers } from './managed-fields.ts'

export interface Change {
  /** From what is stored to what the client wants stored. */
  readonly propose: (old: KubeObject) => KubeObject
  readonly dryRun: boolean
  /** What is there, where somebody has just looked. */
  readonly found?: Stored
}

// Five lost races in a row are a storm; kube-apiserver gives up there too.
const TRIES = 5

/** Undefined when there is nothing to change. */
export async function changeObject(
  request: ResourceRequest,
  change: Change,
): Promise<Stored | undefined> {
  const { api, resource, key, nowMs } = request
  const shelf = shelfOf(api.store, resource, nowMs)
  let found = change.found
  for (let attempt = 0; attempt < TRIES; attempt++) {
    found ??= await shelf.get(key)
    if (!found) return undefined
    const outcome = await attemptChange(request, change, shelf, found)
    if (outcome.kind === 'written') return outcome.now
    if (outcome.kind === 'held') throw await refuseHeld(request, change, outcome.found)
    found = outcome.found
  }
  throw modified(resource, key.name)
}

async function refuseHeld(request: ResourceRequest, change: Change, found: Stored) {
  if (!change.dryRun) await tellOfRival(request, found.object, change.propose(found.object))
  return heldConflict(request, found)
}

async function attemptChange(
  request: ResourceRequest,
  change: Change,
  shelf: Shelf,
  found: Stored,
): Promise<Written> {
  const { resource, key } = request
  const old = found.object
  const subresource = request.subresource?.name
  const proposed = change.propose(old)
  checkUid(request, proposed, found)

  const placed = resource.withDefaults(inPlace(proposed, old))
  const admitted = withInstallTolerations(request, placed)
  // As it was sent: what a subresource would leave out is not let through, but refused.
  await admit(request, { operation: 'update', object: admitted, old })
  const next = resource.prepareForUpdate(admitted, old, subresource)
  checkVersion(request, proposed, found)
  const errors = resource.validateUpdate(next, old, subresource)
  if (errors.length > 0) throw invalid(resource, key.name, errors)
  return await store(request, change, shelf, found, withoutManagers(next))
}

/** Which object it is was said by the URL. */
function inPlace(proposed: KubeObject, { metadata }: KubeObject): KubeObject {
  const { name, namespace, resourceVersion } = metadata
  return { ...proposed, metadata: { ...proposed.metadata, name, namespace, resourceVersion } }
}

async function store(
  request: ResourceRequest,
  change: Change,
  shelf: Shelf,
  found: Stored,
  next: KubeObject,
): Promise<Written> {
  // A write that changes nothing is none: no new version, no event for the watchers.
  if (deepEqual(next, found.object)) return { kind: 'written', now: found }
  checkSize(request, next)
  if (change.dryRun) {
    const held = wouldBeHeld(request, found, next)
    return held ? { kind: 'held', found } : { kind: 'written', now: { ...found, object: next } }
  }
  if (!isOver(next)) return await shelf.replace(next, found)

  const removed = await shelf.remove(found)
  return removed.kind === 'written' ? { kind: 'written', now: { ...found, object: next } } : removed
}

/** Being deleted, with nobody left who wants to see it first. */
function isOver({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = metadata
  return !!deletionTimestamp && deletionGracePeriodSeconds === 0 && finalizers.length === 0
}

function checkUid(request: ResourceRequest, proposed: KubeObject, found: Stored): void {
  const { uid } = proposed.metadata
  if (!uid || uid === found.uid) return
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found.uid}`
  throw conflict(request.resource, request.key.name, why)
}

function checkVersion(request: ResourceRequest, proposed: KubeObject, found: Stored): void {
  const { resource, key } = request
  const version = proposed.metadata.resourceVersion || '0'
  if (version === '0') {
    if (resource.unconditionalUpdate) return
    const message = 'Invalid value: 0: must be specified for an update'
    throw invalid(resource, key.name, [
      { type: 'Invalid', field: 'metadata.resourceVersion', message },
    ])
  }
  if (!/^\d{1,20}$/.test(version)) {
    throw badRequest(`invalid resource version ${JSON.stringify(version)}: write it as it was read`)
  }
  if (version !== String(found.version)) throw modified(resource, key.name)
}
