/** What does a lock say? The record inside a Lease, as leader election reads and writes it. */
import type { Lease, LeaseSpec } from '../../shared/kube/objects.ts'
import { formatMicroTime, parseTimeMs } from '../../shared/kube/time.ts'

export interface LeaderRecord {
  readonly holderIdentity: string
  readonly leaseDurationSeconds: number
  readonly acquireTimeMs?: number
  readonly renewTimeMs?: number
  /** On our server a fencing token: it never repeats and never falls. */
  readonly leaderTransitions: number
  readonly strategy: string
  readonly preferredHolder: string
}

/** Missing fields are zero values. */
export function recordOf(spec: LeaseSpec = {}): LeaderRecord {
  return {
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTimeMs: timeMs(spec.acquireTime),
    renewTimeMs: timeMs(spec.renewTime),
    leaderTransitions: spec.leaseTransitions ?? 0,
    strategy: spec.strategy ?? '',
    preferredHolder: spec.preferredHolder ?? '',
  }
}

export function specOf(record: LeaderRecord): LeaseSpec {
  const { acquireTimeMs, renewTimeMs, strategy, preferredHolder } = record
  return {
    // Empty is a value: it says that the lock is free.
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    ...(acquireTimeMs !== undefined && { acquireTime: formatMicroTime(acquireTimeMs * 1_000) }),
    ...(renewTimeMs !== undefined && { renewTime: formatMicroTime(renewTimeMs * 1_000) }),
    leaseTransitions: record.leaderTransitions,
    ...(strategy && { strategy }),
    ...(preferredHolder && { preferredHolder }),
  }
}

/**
 * client-go compares whole seconds. A renewal within the same second as the last looks like none.
 */
export function isSameRecord(a: LeaderRecord, b: LeaderRecord): boolean {
  const whole = (ms: number | undefined) => (ms === undefined ? undefined : Math.floor(ms / 1_000))
  return (
    a.holderIdentity === b.holderIdentity &&
    a.leaseDurationSeconds === b.leaseDurationSeconds &&
    whole(a.acquireTimeMs) === whole(b.acquireTimeMs) &&
    whole(a.renewTimeMs) === whole(b.renewTimeMs) &&
    a.leaderTransitions === b.leaderTransitions &&
    a.strategy === b.strategy &&
    a.preferredHolder === b.preferredHolder
  )
}

export interface Lock {
  readonly namespace: string
  readonly name: string
  /** Set on create and on every update; labels of others stay. */
  readonly labels?: Readonly<Record<string, string>>
}

export const newLease = (lock: Lock, record: LeaderRecord): Lease => leaseOf(lock, {}, record)

/** On top of the one last seen, whose version makes the write fail if another candidate wrote in between. */
export function changedLease(lock: Lock, seen: Lease | undefined, record: LeaderRecord): Lease {
  if (!seen) throw new Error('the lease must be read or created before it can be updated')
  return leaseOf(lock, seen.metadata, record)
}

function leaseOf(lock: Lock, metadata: Lease['metadata'], record: LeaderRecord): Lease {
  const labels = { ...metadata.labels, ...lock.labels }
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...metadata,
      name: lock.name,
      namespace: lock.namespace,
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    spec: specOf(record),
  }
}

const timeMs = (text: string | null | undefined): number | undefined =>
  text ? parseTimeMs(text) : undefined
