/** What happens to a write that wants a lease which another holder still has? */

import {
  nodeNameConflict,
  nodeNameConflictEvent,
} from '../../../shared/auth/join/node-name-conflict.ts'
import type { KubeObject, Lease } from '../../../shared/kube/objects.ts'
import { findResource } from '../../../shared/kube/registry.ts'
import { conflict, type StatusError } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { LEASE_EXPIRY_ALLOWANCE_MS } from '../../../shared/lifecycle/clock-bounds.ts'
import { correctedNowMs } from '../../../shared/lifecycle/clock-skew.ts'
import { judgeClaim } from '../../../shared/lifecycle/liveness/holder.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'
import { holderRule } from '../namespaces/holder-rule.ts'
import { objectStorage } from '../storage/object-storage.ts'
import type { Stored } from '../storage/resource-storage.ts'

export function heldConflict({ resource, key }: ResourceRequest, found: Stored): StatusError {
  const held = found as StoredLease
  const holder = held.object.spec?.holderIdentity ?? ''
  const until = held.expiresAtMs === undefined ? 'for good' : `until ${freeAt(held.expiresAtMs)}`
  const why = `the lease is held by ${JSON.stringify(holder)} ${until}; wait, or delete the lease`
  return conflict(resource, key.name, why)
}

/** A client that tries again at this time gets the lease: the format cuts fractions of seconds. */
const freeAt = (expiresAtMs: number) => formatTime(expiresAtMs + LEASE_EXPIRY_ALLOWANCE_MS + 1_000)

/**
 * How long until a lease is free whose holder's own time is over already. Clients ask at that moment, and
 * come back many seconds after a refusal: waiting out the rest of our allowance serves them better.
 * Undefined while the holder's time runs.
 */
export function graceLeftMs({ api }: ResourceRequest, found: Stored): number | undefined {
  const { expiresAtMs: endMs } = found as StoredLease
  const nowMs = correctedNowMs(api.clock, api.store.skewMs)
  if (endMs === undefined || nowMs < endMs) return undefined
  return Math.max(0, endMs + LEASE_EXPIRY_ALLOWANCE_MS - nowMs) + TIMER_MARGIN_MS
}

/** The last moment is the holder's, and a timer may fire a moment early. */
const TIMER_MARGIN_MS = 5

/** The store's write applies the holder rule; a dry run, which writes nothing, asks it here. */
export async function wouldBeHeld(
  { api, resource, nowMs }: ResourceRequest,
  found: Stored,
  next: KubeObject,
): Promise<boolean> {
  if (resource.plural !== 'leases') return false
  const { object, receivedAtMs } = found as StoredLease
  const wanted = (next as Lease).spec ?? {}
  const isHeld = judgeClaim({ ...object.spec, receivedAtMs }, wanted, nowMs).kind === 'held'
  return isHeld && (await holderRule(api.store, found.key.namespace)) === 'checked'
}

/** Do two machines renew as the same node? Then an Event on the Node tells the operator. */
export async function recordDuplicateHolder(
  { api, key, nowMs }: ResourceRequest,
  held: Lease,
  wanted: Lease,
): Promise<void> {
  if (key.namespace !== nodeLeaseNamespace) return
  const claim = nodeNameConflict(key.name, held.spec?.holderIdentity, wanted.spec?.holderIdentity)
  const node = claim && (await api.store.objects.get('nodes', { namespace: '', name: key.name }))
  if (!node) return
  const event: KubeObject = nodeNameConflictEvent(claim, node.object, nowMs)
  const metadata = { ...event.metadata, uid: api.uuid(), creationTimestamp: formatTime(nowMs) }
  // Outrun means that the last hour has an Event about this pair already, which is enough.
  await objectStorage(api.store, findResource('', 'events')!, nowMs).create({ ...event, metadata })
}
