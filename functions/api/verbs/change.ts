/**
 * How does an object change? PUT and PATCH differ only in how they propose the next state; from
 * there on the order of checks is Kubernetes': uid, admission, version, fields, write. A write that
 * names no version is tried again when it loses a race.
 */
import { deepEqual } from '../../../shared/kube/json.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { badRequest, conflict, invalid, modified } from '../../../shared/kube/status-error.ts'
import { isDeletable } from '../../../shared/lifecycle/deletion-plan.ts'
import type { ResourceRequest } from '../deps.ts'
import {
  graceLeftMs,
  heldConflict,
  recordDuplicateHolder,
  wouldBeHeld,
} from '../leases/holder-conflict.ts'
import { withOwner } from '../nodes/node-lease.ts'
import { requireRoomForZone } from '../nodes/reported-zone.ts'
import { withInstallTolerations } from '../pods/install-tolerations.ts'
import { admitChange } from '../request/access.ts'
import { storageOf } from '../storage/registry.ts'
import type { ResourceStorage, Stored, WriteOutcome } from '../storage/resource-storage.ts'
import { checkObjectSize, withoutManagedFields } from './stored-form.ts'

interface Change {
  /** From what is stored to what the client wants stored. */
  readonly propose: (old: KubeObject) => KubeObject
  readonly dryRun: boolean
  /** What is stored, where the caller has just read it. */
  readonly found?: Stored
}

// After five lost races in a row kube-apiserver gives up too.
const TRIES = 5

/** Undefined when there is nothing to change. */
export async function changeObject(
  request: ResourceRequest,
  change: Change,
): Promise<Stored | undefined> {
  const { api, resource, key, nowMs } = request
  const storage = storageOf(api.store, resource, nowMs)
  let found = change.found
  let mayWait = !change.dryRun
  for (let attempt = 0; attempt < TRIES; attempt++) {
    found ??= await storage.get(key)
    if (!found) return undefined
    const outcome = await attemptChange(request, change, storage, found)
    if (outcome.kind === 'written') return outcome.now
    if (outcome.kind === 'held') {
      const graceMs = mayWait ? graceLeftMs(request, outcome.found) : undefined
      if (graceMs === undefined) throw await refuseHeld(request, change, outcome.found)
      await api.wait(graceMs)
      mayWait = false
      // The holder may have renewed meanwhile.
      found = undefined
    } else found = outcome.found
  }
  throw modified(resource, key.name)
}

async function refuseHeld(request: ResourceRequest, change: Change, found: Stored) {
  if (!change.dryRun)
    await recordDuplicateHolder(request, found.object, change.propose(found.object))
  return heldConflict(request, found)
}

async function attemptChange(
  request: ResourceRequest,
  change: Change,
  storage: ResourceStorage,
  found: Stored,
): Promise<WriteOutcome> {
  const { resource, key } = request
  const old = found.object
  const subresource = request.subresource?.name
  const proposed = change.propose(old)
  checkUid(request, proposed, found)

  const placed = resource.withDefaults(await withOwner(request, inPlace(proposed, old), old))
  const admitted = withInstallTolerations(request, placed)
  // Admission sees the object as sent: fields that a subresource ignores are refused too.
  await admitChange(request, { operation: 'update', object: admitted, old })
  await requireRoomForZone(request, admitted, old)
  const next = resource.prepareForUpdate(admitted, old, subresource)
  checkVersion(request, proposed, found)
  const errors = resource.validateUpdate(next, old, subresource)
  if (errors.length > 0) throw invalid(resource, key.name, errors)
  return await store(request, change, storage, found, withoutManagedFields(next))
}

/** The URL says which object it is. */
function inPlace(proposed: KubeObject, { metadata }: KubeObject): KubeObject {
  const { name, namespace, resourceVersion } = metadata
  return { ...proposed, metadata: { ...proposed.metadata, name, namespace, resourceVersion } }
}

async function store(
  request: ResourceRequest,
  change: Change,
  storage: ResourceStorage,
  found: Stored,
  next: KubeObject,
): Promise<WriteOutcome> {
  // A write that changes nothing is not written: no new version, no watch event.
  if (deepEqual(next, found.object)) return { kind: 'written', now: found }
  checkObjectSize(request, next, found.object)
  if (change.dryRun) {
    const held = await wouldBeHeld(request, found, next)
    return held ? { kind: 'held', found } : { kind: 'written', now: { ...found, object: next } }
  }
  if (!isDeletable(request.resource.plural, next)) return await storage.replace(next, found)

  const removed = await storage.remove(found)
  return removed.kind === 'written' ? { kind: 'written', now: { ...found, object: next } } : removed
}

function checkUid(request: ResourceRequest, proposed: KubeObject, found: Stored): void {
  const { uid } = proposed.metadata
  if (uid && uid !== found.uid) throw uidConflict(request, uid, found.uid)
}

export function uidConflict({ resource, key }: ResourceRequest, wanted: string, actual: string) {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${actual}`
  return conflict(resource, key.name, why)
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
