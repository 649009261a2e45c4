/**
 * The record behind a LeaseTaken event. The leases table has no stream, so an acquisition writes this
 * record to the objects table, in the same transaction.
 */
import type { TakenLease } from '../lifecycle/events/domain-event.ts'
import { CANARY_LEASE, monitorLeaseKey } from '../lifecycle/record-names.ts'
import { type LeaseChange, nodeLeaseNamespace } from './lease-state.ts'

const OWN_LEASES: ReadonlySet<string> = new Set([monitorLeaseKey.name, CANARY_LEASE])

export const leaseTakenPrefix = 'lease-taken/'

/** Long after the stream was read. */
const leaseTakenKeptMs = 24 * 60 * 60 * 1_000

interface Announcement {
  readonly name: string
  readonly value: TakenLease
  readonly expiresAtMs: number
}

/**
 * None for a host that creates its own node lease: that is registration, announced by its Node. None
 * for the monitor's own lease and canary either: handing over is how it runs.
 */
export function leaseTaken(
  change: LeaseChange,
  before: { readonly holderIdentity?: string } | undefined,
  nowMs: number,
): Announcement | undefined {
  const { key, uid, version, spec } = change.state
  if (change.claim !== 'acquire') return undefined
  if (key.namespace === nodeLeaseNamespace && !before) return undefined
  if (key.namespace === monitorLeaseKey.namespace && OWN_LEASES.has(key.name)) return undefined
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
