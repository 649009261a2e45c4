/** What does a Lease say: of a host, when it last beat; of a lock, whether it is held? */
import type { Lease } from '../../shared/kube/objects.ts'
import { LEASE_EXPIRY_ALLOWANCE_MS } from '../../shared/lifecycle/clock-bounds.ts'
import { expiresAtMs } from '../../shared/lifecycle/liveness/holder.ts'
import type { Beat } from '../../shared/lifecycle/world.ts'
import { resourceVersionMs } from './fleet-objects.ts'

/** Only renewals change a host's lease, so its resourceVersion is the time of the last one. */
export const beatOfLease = (lease: Lease): Beat => ({
  name: lease.metadata.name ?? '',
  version: Number(lease.metadata.resourceVersion ?? 0),
  holderIdentity: lease.spec?.holderIdentity ?? '',
  receivedAtMs: resourceVersionMs(lease),
  ownerUid: lease.metadata.ownerReferences?.find(({ kind }) => kind === 'Node')?.uid,
})

export type LockState = 'held' | 'expired' | 'free' | 'forever'

/** By the server's own rule. Undefined: the lock is free, or was taken without a duration. */
export function heldUntilMs(lease: Lease): number | undefined {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {}
  if (!holderIdentity || !leaseDurationSeconds) return undefined
  const endMs = expiresAtMs({ leaseDurationSeconds, receivedAtMs: resourceVersionMs(lease) })
  return endMs === undefined ? undefined : endMs + LEASE_EXPIRY_ALLOWANCE_MS
}

export function lockState(lease: Lease, nowMs: number): LockState {
  if (!lease.spec?.holderIdentity) return 'free'
  const untilMs = heldUntilMs(lease)
  if (untilMs === undefined) return 'forever'
  return nowMs <= untilMs ? 'held' : 'expired'
}
