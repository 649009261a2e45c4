/**
 * Who may hold a lease? The rule that makes `leaseTransitions` a fencing token: a holder is
 * replaced only when its time has run out by our clock, and every acquisition counts one up from
 * all that was ever handed out.
 */
import type { LeaseSpec } from '../../kube/objects.ts'
import { LEASE_EXPIRY_ALLOWANCE_MS } from '../clock-bounds.ts'

/**
 * What is stored: a lease, or the mark that a deleted one left behind, which has only its number.
 */
export interface LeaseHolder {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly leaseTransitions?: number
  readonly receivedAtMs?: number
}

/** `leaseTransitions` is what to store, whatever the client sent. */
export type Claim =
  | {
      readonly kind: 'renew' | 'acquire' | 'release' | 'other'
      readonly leaseTransitions?: number
    }
  | { readonly kind: 'held' }

/** `unchecked`: any writer may change the holder, as in Kubernetes. It is counted all the same. */
export type HolderRule = 'checked' | 'unchecked'

export function judgeClaim(
  stored: LeaseHolder | undefined,
  wanted: LeaseSpec,
  nowMs: number,
  rule: HolderRule = 'checked',
): Claim {
  const to = wanted.holderIdentity ?? ''
  if (!stored) return counted(to ? 'acquire' : 'other', wanted.leaseTransitions)

  const from = stored.holderIdentity ?? ''
  if (from === to) return counted(to ? 'renew' : 'other', stored.leaseTransitions)
  if (!to) return counted('release', stored.leaseTransitions)
  if (from && rule === 'checked' && !isLeaseExpired(stored, nowMs)) return { kind: 'held' }
  return counted('acquire', (stored.leaseTransitions ?? 0) + 1)
}

/**
 * Any difference in renewTime counts, backwards too: the sender's clock is shown, never compared.
 * Removing the time is no sign of life.
 */
export function isBeat(storedRenewTime: string | null | undefined, wanted: LeaseSpec): boolean {
  const { holderIdentity, renewTime } = wanted
  return !!holderIdentity && !!renewTime && renewTime !== storedRenewTime
}

/**
 * When the holder's own time is over; absent when it never is, because the lease names no duration.
 */
export function expiresAtMs(tenure: LeaseHolder): number | undefined {
  const { receivedAtMs, leaseDurationSeconds } = tenure
  if (receivedAtMs === undefined || leaseDurationSeconds === undefined) return undefined
  return receivedAtMs + leaseDurationSeconds * 1_000
}

/** The last moment of the allowance still belongs to the holder. */
export function isLeaseExpired(tenure: LeaseHolder, nowMs: number): boolean {
  const endMs = expiresAtMs(tenure)
  return endMs !== undefined && nowMs > endMs + LEASE_EXPIRY_ALLOWANCE_MS
}

function counted(
  kind: 'renew' | 'acquire' | 'release' | 'other',
  leaseTransitions?: number,
): Claim {
  return leaseTransitions === undefined ? { kind } : { kind, leaseTransitions }
}
