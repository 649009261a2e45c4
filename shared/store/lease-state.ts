/**
 * What does a write do to a lease? The rules both adapters share, on the flat form in which leases
 * are stored. An adapter only reads one state and writes the next.
 */
import { deepEqual } from '../kube/json.ts'
import type { Lease, LeaseSpec, ObjectMeta } from '../kube/objects.ts'
import { LEASE_EXPIRY_ALLOWANCE_MS } from '../lifecycle/clock-bounds.ts'
import {
  type Claim,
  expiresAtMs,
  type HolderRule,
  isBeat,
  judgeClaim,
} from '../lifecycle/liveness/holder.ts'
import { checkStoredSize } from './object-state.ts'
import type { Key, Renewal, Renewed, StoredLease } from './ports.ts'

export const nodeLeaseNamespace = 'kube-node-lease'

/**
 * Does the holder's time still run? A lease that was never renewed is not held; one without a
 * duration never runs out.
 */
export function isHeld(
  { receivedAtMs, expiresAtMs: endMs }: Pick<StoredLease, 'receivedAtMs' | 'expiresAtMs'>,
  nowMs: number,
): boolean {
  if (receivedAtMs === undefined) return false
  return endMs === undefined || nowMs <= endMs + LEASE_EXPIRY_ALLOWANCE_MS
}

/** What the client may change in metadata; a PUT replaces it whole. */
export type LeaseMeta = Pick<
  ObjectMeta,
  'labels' | 'annotations' | 'ownerReferences' | 'finalizers' | 'managedFields' | 'generateName'
>

export interface LeaseState {
  readonly key: Key
  readonly uid: string
  readonly version: number
  readonly spec: LeaseSpec
  readonly meta: LeaseMeta
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly receivedAtMs?: number
  readonly declaredAtMs?: number
  readonly inbox: number
  readonly ownGraceMs?: number
  readonly writtenBy?: string
}

/** What is stored under a name that has no lease, for the next lease of that name to go on from. */
export interface LeaseTombstone {
  /** Of the deleted lease; keeps the count growing, since clients use it as a fencing token. */
  readonly leaseTransitions?: number
  /** Pod changes counted before the lease was created. */
  readonly inbox?: number
  readonly writtenBy?: string
}

/** The time and version that a write gets. */
export interface WriteStamp {
  readonly nowMs: number
  readonly version: number
}

export interface LeaseChange {
  readonly claim: Claim['kind']
  readonly state: LeaseState
}

export function createdLease(lease: Lease, tombstone: LeaseTombstone, at: WriteStamp): LeaseChange {
  const wanted = checkedSpec(lease.spec, lease.metadata)
  const { leaseTransitions, inbox = 0 } = tombstone
  const previous = leaseTransitions === undefined ? undefined : { leaseTransitions }
  const claim = judgeClaim(previous, wanted, at.nowMs)
  const spec = withTransitions(wanted, claim)
  const state: LeaseState = {
    ...clientParts(lease, at.version),
    spec,
    inbox,
    ...(claim.kind === 'acquire' && { receivedAtMs: at.nowMs }),
  }
  return { claim: claim.kind, state }
}

/** `held` when another holder's lease has not expired. */
export function replacedLease(
  found: LeaseState,
  lease: Lease,
  at: WriteStamp,
  rule?: HolderRule,
): LeaseChange | 'held' {
  const wanted = checkedSpec(lease.spec, lease.metadata)
  const holder = { ...found.spec, receivedAtMs: found.receivedAtMs }
  const claim = judgeClaim(holder, wanted, at.nowMs, rule)
  if (claim.kind === 'held') return 'held'
  // A new holder's time starts with its acquisition, even when renewTime stayed the same.
  const isNewBeat = claim.kind === 'acquire' || isBeat(found.spec.renewTime, wanted)
  const state: LeaseState = {
    ...clientParts(lease, at.version),
    uid: found.uid,
    ...(found.creationTimestamp && { creationTimestamp: found.creationTimestamp }),
    spec: withTransitions(wanted, claim),
    inbox: found.inbox,
    declaredAtMs: found.declaredAtMs,
    ownGraceMs: found.ownGraceMs,
    receivedAtMs: isNewBeat ? at.nowMs : found.receivedAtMs,
  }
  return { claim: claim.kind, state }
}

/**
 * What the stored lease must look like for a write to be a plain renewal. This is the one place that
 * says so: `refusedRenewal` checks it in memory, the DynamoDB store sends it with its update.
 */
export interface RenewalCondition {
  /** Absent: any holder, as long as there is one. */
  readonly holderIdentity?: string
  /** The stored renewTime must be another: the same one again is no beat. */
  readonly renewTime: string
  readonly version?: number
  readonly uid?: string
  /** The owner must be this one: a lease without an owner may be that of an earlier Node. */
  readonly ownerUid?: string
}

/** Undefined when the write is no renewal, whatever is stored: it releases the lease, or is no beat. */
export function renewalCondition(renewal: Renewal): RenewalCondition | undefined {
  const { spec, object, version, uid, ownerUid } = renewal
  const { renewTime, holderIdentity } = spec
  const releases = holderIdentity === '' || (object && holderIdentity === undefined)
  if (!renewTime || releases) return undefined
  return { holderIdentity, renewTime, version, uid, ownerUid }
}

/** Why this is no plain renewal of what is stored; undefined when it is one. */
export function refusedRenewal(found: LeaseState, renewal: Renewal): Renewed | undefined {
  const owner = ownerUidOf(found.meta)
  if (renewal.ownerUid !== undefined && owner !== undefined && owner !== renewal.ownerUid)
    return { kind: 'foreignOwner', found: storedLease(found) }
  const condition = renewalCondition(renewal)
  const holder = found.spec.holderIdentity
  const isPlain =
    condition &&
    !!holder &&
    (condition.holderIdentity ?? holder) === holder &&
    found.spec.renewTime !== condition.renewTime &&
    found.deletionTimestamp === undefined &&
    (condition.version ?? found.version) === found.version &&
    (condition.uid ?? found.uid) === found.uid &&
    (condition.ownerUid ?? owner) === owner
  return isPlain ? undefined : { kind: 'notRenewal', found: storedLease(found) }
}

export function renewedLease(found: LeaseState, renewal: Renewal, at: WriteStamp): LeaseState {
  const { holderIdentity, leaseTransitions } = found.spec
  const kept = {
    ...(holderIdentity !== undefined && { holderIdentity }),
    ...(leaseTransitions !== undefined && { leaseTransitions }),
  }
  const { leaseTransitions: _theirs, ...wanted } = renewalSpec(renewal)
  const spec = renewal.object ? { ...wanted, ...kept } : { ...found.spec, ...wanted, ...kept }
  const meta = renewal.object ? metaOf(renewal.object.metadata) : found.meta
  return { ...found, version: at.version, receivedAtMs: at.nowMs, spec, meta }
}

/**
 * Does the stored lease hold all that this renewal would have written? Then it has been written: a
 * beat has a renewTime of its own.
 */
export function holdsRenewal({ spec, meta }: LeaseState, renewal: Renewal): boolean {
  const { leaseTransitions: _theirs, ...wanted } = renewalSpec(renewal)
  const { leaseTransitions: _ours, ...found } = spec
  if (renewal.object)
    return deepEqual(found, wanted) && deepEqual(meta, metaOf(renewal.object.metadata))
  return deepEqual({ ...found, ...wanted }, found)
}

/**
 * The lease as the renewal left it, where `found` is what one other write has made of it since. Only
 * a takeover counts the transitions up.
 */
export function renewedBefore(found: LeaseState, renewal: Renewal, at: WriteStamp): LeaseState {
  const { holderIdentity: now, leaseTransitions } = found.spec
  const holderIdentity = renewal.spec.holderIdentity ?? now
  const wasTaken = !!now && now !== holderIdentity && leaseTransitions !== undefined
  const before = {
    ...found.spec,
    holderIdentity,
    ...(wasTaken && { leaseTransitions: leaseTransitions - 1 }),
  }
  return renewedLease({ ...found, spec: before }, renewal, at)
}

/**
 * A lease in kube-node-lease is a heartbeat and not a lock: its deletion leaves no tombstone, and its
 * beats, the most frequent writes of all, do not pay for the id of the write before.
 */
export const isLock = ({ namespace }: Partial<Key>) => namespace !== nodeLeaseNamespace

export function transitionsToKeep(state: LeaseState): number | undefined {
  if (!isLock(state.key)) return undefined
  return state.spec.leaseTransitions ?? 0
}

export function storedLease(state: LeaseState): StoredLease {
  const { key, uid, version, spec, receivedAtMs, declaredAtMs, inbox, ownGraceMs, writtenBy } =
    state
  const object = wireLease(state)
  const endMs = expiresAtMs({ ...spec, receivedAtMs })
  const times = { receivedAtMs, expiresAtMs: endMs, declaredAtMs }
  return { key, uid, version, object, ...times, inbox, ownGraceMs, writtenBy }
}

/** The inverse of `storedLease`. */
export function leaseStateOf(stored: StoredLease): LeaseState {
  const { object, version, receivedAtMs, declaredAtMs, inbox, ownGraceMs, writtenBy } = stored
  const { spec = {} } = object
  const kept = { receivedAtMs, declaredAtMs, inbox, ownGraceMs, writtenBy }
  return { ...clientParts(object, version), spec, ...kept }
}

export function ownerUidOf(meta: LeaseMeta): string | undefined {
  return meta.ownerReferences?.find((owner) => owner.kind === 'Node')?.uid
}

export function metaOf(metadata: ObjectMeta): LeaseMeta {
  const { labels, annotations, ownerReferences, finalizers, managedFields, generateName } = metadata
  return {
    ...(generateName && { generateName }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
    ...(managedFields && { managedFields }),
  }
}

export const renewalSpec = ({ spec, object }: Renewal) => checkedSpec(spec, object?.metadata)

/** Null means unset and is not stored. */
function checkedSpec(spec: LeaseSpec = {}, metadata: ObjectMeta = {}): LeaseSpec {
  checkStoredSize([spec, metaOf(metadata)])
  const entries = Object.entries(spec).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries)
}

function wireLease(state: LeaseState): Lease {
  const { key, uid, version, meta, spec } = state
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = state
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: key.name,
      namespace: key.namespace,
      uid,
      resourceVersion: String(version),
      ...(creationTimestamp && { creationTimestamp }),
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
      ...meta,
    },
    spec,
  }
}

function clientParts(lease: Lease, version: number) {
  const { name = '', namespace = '', uid = '' } = lease.metadata
  const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = lease.metadata
  return {
    key: { namespace, name },
    uid,
    version,
    meta: metaOf(lease.metadata),
    ...(creationTimestamp && { creationTimestamp }),
    ...(deletionTimestamp && { deletionTimestamp }),
    ...(deletionGracePeriodSeconds !== undefined && { deletionGracePeriodSeconds }),
  }
}

function withTransitions(spec: LeaseSpec, claim: Claim): LeaseSpec {
  const { leaseTransitions: _theirs, ...rest } = spec
  if (claim.kind === 'held' || claim.leaseTransitions === undefined) return rest
  return { ...rest, leaseTransitions: claim.leaseTransitions }
}
