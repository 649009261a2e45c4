/**
 * How a lease is stored: flat, with one-letter names, because every beat pays for the item's size and
 * one under 1 KB costs one write unit.
 *
 *   k key   s schema   u uid   v version   q id of the attempt that wrote it
 *   q1 the q before (not in kube-node-lease, whose beats are the most and are told by renewTime)
 *   h holder   d duration   a acquireTime   r renewTime   t transitions
 *   y strategy   w preferred holder   c created   x deletion   g its grace
 *   m what the client may say in metadata (JSON)   o uid of the owning Node
 *   b our clock at the last beat   f when declared Unknown   i inbox (count of pod changes)
 *   p the own grace of its Node, in ms, which sets the host's beat interval
 *   n transitions of a deleted lease (a tombstone: an item without u)
 */
import type { LeaseSpec } from '../../kube/objects.ts'
import type { Beat } from '../../lifecycle/world.ts'
import {
  isLock,
  type LeaseMeta,
  type LeaseState,
  type LeaseTombstone,
  ownerUidOf,
} from '../lease-state.ts'
import { keyText, parseKey } from '../object-state.ts'
import type { Key } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import {
  type Item,
  itemOf,
  jsonOf,
  jsonValue,
  numberOf,
  numberValue,
  readable,
  stringOf,
  stringValue,
} from './items.ts'

/** The projection that a beat is decoded from. */
export const beatAttributes = ['k', 's', 'u', 'v', 'h', 'b', 'o', 'f', 'p'] as const

export const leaseKey = (key: Key) => ({ k: stringValue(keyText(key)) })

const optionalText = (value: string | null | undefined) =>
  value === null || value === undefined ? undefined : stringValue(value)
const optionalNumber = (value: number | undefined) =>
  value === undefined ? undefined : numberValue(value)

/**
 * Everything a replacement writes; what is undefined here is removed. Inbox, declaration and own
 * grace have writers of their own and are left alone.
 */
export function clientAttributes(state: LeaseState) {
  return {
    ...specAttributes(state.spec),
    ...metaAttributes(state.meta),
    h: optionalText(state.spec.holderIdentity),
    t: optionalNumber(state.spec.leaseTransitions),
    x: optionalText(state.deletionTimestamp),
    g: optionalNumber(state.deletionGracePeriodSeconds),
    b: optionalNumber(state.receivedAtMs),
  }
}

/** What a renewal may change of the spec. */
export const specAttributes = (spec: LeaseSpec) => ({
  d: optionalNumber(spec.leaseDurationSeconds),
  a: optionalText(spec.acquireTime),
  r: optionalText(spec.renewTime),
  y: optionalText(spec.strategy),
  w: optionalText(spec.preferredHolder),
})

export const metaAttributes = (meta: LeaseMeta) => ({
  m: Object.keys(meta).length === 0 ? undefined : jsonValue(meta),
  o: optionalText(ownerUidOf(meta)),
})

/** `before` is the id of the tombstone that the lease goes on from. */
export function leaseItem(state: LeaseState, attemptId: string, before?: string): Item {
  return itemOf({
    ...leaseKey(state.key),
    s: numberValue(schemaNumber),
    u: stringValue(state.uid),
    v: numberValue(state.version),
    q: stringValue(attemptId),
    q1: optionalText(before),
    c: optionalText(state.creationTimestamp),
    ...clientAttributes(state),
    f: optionalNumber(state.declaredAtMs),
    i: state.inbox === 0 ? undefined : numberValue(state.inbox),
    p: optionalNumber(state.ownGraceMs),
  })
}

export function leaseTombstoneItem(
  { key, writtenBy }: LeaseState,
  transitions: number,
  attemptId: string,
): Item {
  return itemOf({
    ...leaseKey(key),
    s: numberValue(schemaNumber),
    n: numberValue(transitions),
    q: stringValue(attemptId),
    q1: optionalText(writtenBy),
  })
}

export const isLeaseTombstone = (item: Item) => item.u === undefined

export const decodeLeaseTombstone = (item: Item): LeaseTombstone => ({
  ...(item.n && { leaseTransitions: numberOf(item, 'n')! }),
  ...(item.i && { inbox: numberOf(item, 'i')! }),
  ...(item.q && { writtenBy: stringOf(item, 'q')! }),
})

export function decodeLease(item: Item): LeaseState {
  const id = stringOf(item, 'k')!
  const key = parseKey(id)
  return readable(`lease ${id}`, item, 's', () => ({
    key,
    uid: stringOf(item, 'u')!,
    version: numberOf(item, 'v')!,
    spec: specOf(item),
    meta: jsonOf<LeaseMeta>(item, 'm') ?? {},
    ...(item.c && { creationTimestamp: stringOf(item, 'c')! }),
    ...(item.x && { deletionTimestamp: stringOf(item, 'x')! }),
    ...(item.g && { deletionGracePeriodSeconds: numberOf(item, 'g')! }),
    ...(item.b && { receivedAtMs: numberOf(item, 'b')! }),
    ...(item.f && { declaredAtMs: numberOf(item, 'f')! }),
    inbox: numberOf(item, 'i') ?? 0,
    ...(item.p && { ownGraceMs: numberOf(item, 'p')! }),
    ...(isLock(key) && item.q && { writtenBy: stringOf(item, 'q')! }),
  }))
}

export function decodeBeat(item: Item): Beat {
  const id = stringOf(item, 'k')!
  return readable(`lease ${id}`, item, 's', () => ({
    name: parseKey(id).name,
    version: numberOf(item, 'v')!,
    holderIdentity: stringOf(item, 'h') ?? '',
    ...(item.b && { receivedAtMs: numberOf(item, 'b')! }),
    ...(item.o && { ownerUid: stringOf(item, 'o')! }),
    ...(item.f && { declaredAtMs: numberOf(item, 'f')! }),
    ...(item.p && { ownGraceMs: numberOf(item, 'p')! }),
  }))
}

function specOf(item: Item): LeaseSpec {
  return {
    ...(item.h && { holderIdentity: stringOf(item, 'h')! }),
    ...(item.d && { leaseDurationSeconds: numberOf(item, 'd')! }),
    ...(item.a && { acquireTime: stringOf(item, 'a')! }),
    ...(item.r && { renewTime: stringOf(item, 'r')! }),
    ...(item.t && { leaseTransitions: numberOf(item, 't')! }),
    ...(item.y && { strategy: stringOf(item, 'y')! }),
    ...(item.w && { preferredHolder: stringOf(item, 'w')! }),
  }
}
