/**
 * Who may hold a lease? The rule that makes `leaseTransitions` a fencing token: a holder is
 * replaced only when its time has run out by our clock, and every acquisition counts one up from
 * all that was ever handed out.
 */
import type { LeaseSpec } from '../kube/objects.ts'

/** A holder's own clock may run a little slow: it is given this much beyond its duration. */
export const expiryAllowanceMs = 1_000

/**
 * What is stored: a lease, or the mark that a deleted one left behind, which has only its number.
 */
export interface Tenure {
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

export function judgeClaim(stored: Tenure | undefined, wanted: LeaseSpec, nowMs: number): Claim {
  const to = wanted.holderIdentity ?? ''
  if (!stored) return counted(to ? 'acquire' : 'other', wanted.leaseTransitions)

  const from = stored.holderIdentity ?? ''
  if (from === to) return counted(to ? 'renew' : 'other', stored.leaseTransitions)
  if (!to) return counted('release', stored.leaseTransitions)
  if (from && !hasExpired(stored, nowMs)) return { kind: 'held' }
  return counted('acquire', (stored.leaseTransitions ?? 0) + 1)
}

/**
 * Any difference in renewTime counts, backwards too: the sender's clock is shown, never believed.
 * Taking the time away says nothing about anybody's life.
 */
export function isBeat(storedRenewTime: string | null | undefined, wanted: LeaseSpec): boolean {
  const { holderIdentity, renewTime } = wanted
  return !!holderIdentity && !!renewTime && renewTime !== storedRenewTime
}

/**
 * When the holder's own time is over; absent when it never is, because the lease names no duration.
 */
export function expiresAtMs(tenure: Tenure): number | undefined {
  const { receivedAtMs, leaseDurationSeconds } = tenure
  if (receivedAtMs === undefined || leaseDurationSeconds === undefined) return undefined
  return receivedAtMs + leaseDurationSeconds * 1_000
}

/** The last moment of the allowance still belongs to the holder. */
export function hasExpired(tenure: Tenure, nowMs: number): boolean {
  const endMs = expiresAtMs(tenure)
  return endMs !== undefined && nowMs > endMs + expiryAllowanceMs
}

function counted(
  kind: 'renew' | 'acquire' | 'release' | 'other',
  leaseTransitions?: number,
): Claim {
  return leaseTransitions === undefined ? { kind } : { kind, leaseTransitions }
}
