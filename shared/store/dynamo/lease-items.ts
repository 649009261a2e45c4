/**
 * How a lease is kept: flat, with one-letter names, because an item under 1 KB is one write unit
 * and every beat pays it.
 *
 *   k key   s schema   u uid   v version   q trace of the request that wrote it
 *   h holder   d duration   a acquireTime   r renewTime   t transitions
 *   y strategy   w preferred holder   c created   x deletion   g its grace
 *   m what the client may say in metadata (JSON)   o uid of the owning Node
 *   b our clock at the last beat   f when declared Unknown   i inbox
 *   p the own grace of its Node, in ms, which sets the host's pace
 *   n the mark that a deleted lease leaves (an item with it has no u)
 */
import type { LeaseSpec } from '../../kube/objects.ts'
import { type LeaseGhost, type LeaseMeta, type LeaseState, ownerUidOf } from '../lease-state.ts'
import { keyText, parseKey } from '../object-state.ts'
import type { Beat, Key } from '../ports.ts'
import { schemaNumber } from '../tables.ts'
import {
  type Item,
  itemOf,
  json,
  jsonOf,
  number,
  numberOf,
  readable,
  text,
  textOf,
} from './items.ts'

/** What a beat is read from; the rest of the item stays in the table. */
export const beatAttributes = ['k', 's', 'u', 'v', 'h', 'b', 'o', 'f', 'p'] as const

export const leaseKey = (key: Key) => ({ k: text(keyText(key)) })

const optionalText = (value: string | null | undefined) =>
  value === null || value === undefined ? undefined : text(value)
const optionalNumber = (value: number | undefined) =>
  value === undefined ? undefined : number(value)

/**
 * Everything a replacement writes; what it does not name is removed. Inbox, declaration and
 * own grace are others' to change.
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
  m: Object.keys(meta).length === 0 ? undefined : json(meta),
  o: optionalText(ownerUidOf(meta)),
})

export function leaseItem(state: LeaseState, request: string): Item {
  return itemOf({
    ...leaseKey(state.key),
    s: number(schemaNumber),
    u: text(state.uid),
    v: number(state.version),
    q: text(request),
    c: optionalText(state.creationTimestamp),
    ...clientAttributes(state),
    f: optionalNumber(state.declaredAtMs),
    i: state.inbox === 0 ? undefined : number(state.inbox),
    p: optionalNumber(state.ownGraceMs),
  })
}

export const ghostItem = (key: Key, mark: number, request: string): Item => ({
  ...leaseKey(key),
  s: number(schemaNumber),
  n: number(mark),
  q: text(request),
})

export const isGhost = (item: Item) => item.u === undefined

export const ghostOf = (item: Item): LeaseGhost => ({
  ...(item.n && { mark: numberOf(item, 'n')! }),
  ...(item.i && { inbox: numberOf(item, 'i')! }),
})

export function leaseOf(item: Item): LeaseState {
  const id = textOf(item, 'k')!
  return readable(`lease ${id}`, item, 's', () => ({
    key: parseKey(id),
    uid: textOf(item, 'u')!,
    version: numberOf(item, 'v')!,
    spec: specOf(item),
    meta: jsonOf<LeaseMeta>(item, 'm') ?? {},
    ...(item.c && { creationTimestamp: textOf(item, 'c')! }),
    ...(item.x && { deletionTimestamp: textOf(item, 'x')! }),
    ...(item.g && { deletionGracePeriodSeconds: numberOf(item, 'g')! }),
    ...(item.b && { receivedAtMs: numberOf(item, 'b')! }),
    ...(item.f && { declaredAtMs: numberOf(item, 'f')! }),
    inbox: numberOf(item, 'i') ?? 0,
    ...(item.p && { ownGraceMs: numberOf(item, 'p')! }),
  }))
}

export function beatOf(item: Item): Beat {
  const id = textOf(item, 'k')!
  return readable(`lease ${id}`, item, 's', () => ({
    name: parseKey(id).name,
    version: numberOf(item, 'v')!,
    holderIdentity: textOf(item, 'h') ?? '',
    ...(item.b && { receivedAtMs: numberOf(item, 'b')! }),
    ...(item.o && { ownerUid: textOf(item, 'o')! }),
    ...(item.f && { declaredAtMs: numberOf(item, 'f')! }),
    ...(item.p && { ownGraceMs: numberOf(item, 'p')! }),
  }))
}

function specOf(item: Item): LeaseSpec {
  return {
    ...(item.h && { holderIdentity: textOf(item, 'h')! }),
    ...(item.d && { leaseDurationSeconds: numberOf(item, 'd')! }),
    ...(item.a && { acquireTime: textOf(item, 'a')! }),
    ...(item.r && { renewTime: textOf(item, 'r')! }),
    ...(item.t && { leaseTransitions: numberOf(item, 't')! }),
    ...(item.y && { strategy: textOf(item, 'y')! }),
    ...(item.w && { preferredHolder: textOf(item, 'w')! }),
  }
}
