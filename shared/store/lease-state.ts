/**
 * What does a write do to a lease? The rules every adapter shares, on the flat form in which leases
 * are kept. An adapter only finds the state and puts the next one in its place.
 */
import type { Lease, LeaseSpec, ObjectMeta } from '../kube/objects.ts'
import { type Claim, expiresAtMs, isBeat, judgeClaim } from '../lifecycle/holder.ts'
import { checkSize } from './object-state.ts'
import type { Key, Renewal, Renewed, StoredLease } from './ports.ts'

export const nodeLeaseNamespace = 'kube-node-lease'

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
}

/**
 * What is kept under a name that has no lease: the count of a deleted one, letters that came before
 * the lease.
 */
export interface LeaseGhost {
  readonly mark?: number
  readonly inbox?: number
}

/** When and as what a write lands. */
export interface Landing {
  readonly nowMs: number
  readonly version: number
}

export interface LeaseChange {
  readonly claim: Claim['kind']
  readonly state: LeaseState
}

export function createdLease(lease: Lease, ghost: LeaseGhost, at: Landing): LeaseChange {
  const wanted = checkedSpec(lease.spec, lease.metadata)
  const mark = ghost.mark === undefined ? undefined : { leaseTransitions: ghost.mark }
  const claim = judgeClaim(mark, wanted, at.nowMs)
  const spec = withTransitions(wanted, claim)
  const state: LeaseState = {
    ...clientParts(lease, at.version),
    spec,
    inbox: ghost.inbox ?? 0,
    ...(claim.kind === 'acquire' && { receivedAtMs: at.nowMs }),
  }
  return { claim: claim.kind, state }
}

/** `held` when somebody else's time has not run out. */
export function replacedLease(found: LeaseState, lease: Lease, at: Landing): LeaseChange | 'held' {
  const wanted = checkedSpec(lease.spec, lease.metadata)
  const claim = judgeClaim({ ...found.spec, ...received(found) }, wanted, at.nowMs)
  if (claim.kind === 'held') return 'held'
  // An acquisition starts the new holder's time even if it left renewTime as it was.
  const beat = claim.kind === 'acquire' || isBeat(found.spec.renewTime, wanted)
  const state: LeaseState = {
    ...clientParts(lease, at.version),
    uid: found.uid,
    ...(found.creationTimestamp && { creationTimestamp: found.creationTimestamp }),
    spec: withTransitions(wanted, claim),
    inbox: found.inbox,
    ...(found.declaredAtMs !== undefined && { declaredAtMs: found.declaredAtMs }),
    ...ownGrace(found),
    ...(beat ? { receivedAtMs: at.nowMs } : received(found)),
  }
  return { claim: claim.kind, state }
}

/** Why this is not the plain renewal the hot path serves; undefined when it is. */
export function refusedRenewal(found: LeaseState, renewal: Renewal): Renewed | undefined {
  const owner = ownerUidOf(found.meta)
  if (renewal.ownerUid !== undefined && owner !== undefined && owner !== renewal.ownerUid)
    return { kind: 'foreignOwner', found: storedLease(found) }
  const holder = found.spec.holderIdentity
  const plain =
    isRenewable(renewal) &&
    !!holder &&
    (renewal.spec.holderIdentity ?? holder) === holder &&
    found.spec.renewTime !== renewal.spec.renewTime &&
    found.deletionTimestamp === undefined &&
    (renewal.version ?? found.version) === found.version &&
    (renewal.uid ?? found.uid) === found.uid
  return plain ? undefined : { kind: 'notRenewal', found: storedLease(found) }
}

/** A PUT without holder is a release, and one without renewTime no beat, whatever is stored. */
export function isRenewable({ spec, object }: Renewal): boolean {
  if (!spec.renewTime || spec.holderIdentity === '') return false
  return object === undefined || spec.holderIdentity !== undefined
}

export function renewedLease(found: LeaseState, renewal: Renewal, at: Landing): LeaseState {
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
 * A lease in kube-node-lease belongs to a host, not to a lock: its deletion leaves nothing behind.
 */
export function markLeft(state: LeaseState): number | undefined {
  if (state.key.namespace === nodeLeaseNamespace) return undefined
  return state.spec.leaseTransitions ?? 0
}

export function storedLease(state: LeaseState): StoredLease {
  const { key, uid, version, spec, inbox, declaredAtMs } = state
  const end = expiresAtMs({ ...spec, ...received(state) })
  return {
    key,
    uid,
    version,
    object: wireLease(state),
    ...received(state),
    ...(end !== undefined && { expiresAtMs: end }),
    ...(declaredAtMs !== undefined && { declaredAtMs }),
    inbox,
    ...ownGrace(state),
  }
}

/** A stored lease read back into the form it is kept in. */
export function stateOf(stored: StoredLease): LeaseState {
  const { inbox, declaredAtMs } = stored
  return {
    ...clientParts(stored.object, stored.version),
    spec: stored.object.spec ?? {},
    inbox,
    ...(stored.receivedAtMs !== undefined && { receivedAtMs: stored.receivedAtMs }),
    ...(declaredAtMs !== undefined && { declaredAtMs }),
    ...ownGrace(stored),
  }
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

/** Null means unset and is not kept. */
function checkedSpec(spec: LeaseSpec = {}, metadata: ObjectMeta = {}): LeaseSpec {
  checkSize([spec, metaOf(metadata)])
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

function received(state: LeaseState): { readonly receivedAtMs?: number } {
  return state.receivedAtMs === undefined ? {} : { receivedAtMs: state.receivedAtMs }
}

function ownGrace({ ownGraceMs }: { readonly ownGraceMs?: number }) {
  return ownGraceMs === undefined ? {} : { ownGraceMs }
}

function withTransitions(spec: LeaseSpec, claim: Claim): LeaseSpec {
  const { leaseTransitions: _theirs, ...rest } = spec
  if (claim.kind === 'held' || claim.leaseTransitions === undefined) return rest
  return { ...rest, leaseTransitions: claim.leaseTransitions }
}
