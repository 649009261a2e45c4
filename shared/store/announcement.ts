/**
 * How does the world hear that a lease was taken? The Leases table has no stream, so an acquisition
 * writes this record to the table that has one, in the same transaction.
 */
import { type LeaseChange, nodeLeaseNamespace } from './lease-state.ts'

export const leaseTakenPrefix = 'lease-taken/'

/** The stream has long been read by then. */
export const leaseTakenKeptMs = 24 * 60 * 60 * 1_000

export interface LeaseTaken {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly version: number
  /** Empty when nobody held it. */
  readonly from: string
  readonly to: string
  readonly leaseTransitions?: number
  readonly takenAtMs: number
}

export interface Announcement {
  readonly name: string
  readonly value: LeaseTaken
  readonly expiresAtMs: number
}

/**
 * A host creating its own node lease is registration, which the Node tells; all else that takes a
 * lease is news.
 */
export function leaseTaken(
  change: LeaseChange,
  before: { readonly holderIdentity?: string } | undefined,
  nowMs: number,
): Announcement | undefined {
  const { key, uid, version, spec } = change.state
  if (change.claim !== 'acquire') return undefined
  if (key.namespace === nodeLeaseNamespace && !before) return undefined
  const value = {
    ...key,
    uid,
    version,
    from: before?.holderIdentity ?? '',
    to: spec.holderIdentity ?? '',
    ...(spec.leaseTransitions !== undefined && { leaseTransitions: spec.leaseTransitions }),
    takenAtMs: nowMs,
  }
  const name = `${leaseTakenPrefix}${key.namespace}/${key.name}`
  return { name, value, expiresAtMs: nowMs + leaseTakenKeptMs }
}
