/**
 * Is this lock held? By the server's clock, as the server itself judges when somebody else wants
 * it.
 */
import type { Lease } from '../../shared/kube/objects.ts'
import { writtenAtMs } from './fleet-objects.ts'

export type LeaseState = 'held' | 'expired' | 'free' | 'forever'

/** The second beyond its duration that the server gives every holder. */
const ALLOWANCE_MS = 1_000

/** Undefined when nothing ends it: it is free, or was taken without a duration. */
export function heldUntilMs(lease: Lease): number | undefined {
  const { holderIdentity, leaseDurationSeconds } = lease.spec ?? {}
  const writtenMs = writtenAtMs(lease)
  if (!holderIdentity || !leaseDurationSeconds || writtenMs === undefined) return undefined
  return writtenMs + leaseDurationSeconds * 1000 + ALLOWANCE_MS
}

export function leaseState(lease: Lease, nowMs: number): LeaseState {
  if (!lease.spec?.holderIdentity) return 'free'
  const untilMs = heldUntilMs(lease)
  if (untilMs === undefined) return 'forever'
  return nowMs <= untilMs ? 'held' : 'expired'
}
