/**
 * A lease as a change of it. Nothing is kept about leases but what they are, so its past is what we
 * last saw.
 */
import { namespacedFields } from '../../../shared/kube/metadata.ts'
import { parseTimeMs } from '../../../shared/kube/time.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { Delta } from './delta.ts'
import { versionAt } from './timing.ts'

export function leaseDelta(lease: StoredLease, last?: StoredLease): Delta {
  const { key, uid, version, object } = lease
  const { creationTimestamp } = object.metadata
  const createdMs = creationTimestamp ? parseTimeMs(creationTimestamp) : undefined
  return {
    key,
    uid,
    version,
    deleted: false,
    ...lookOf(lease),
    ...(last && { before: { version: last.version, ...lookOf(last) }, isLeap: true }),
    createdVersion: versionAt(createdMs ?? 0),
    object,
  }
}

/** Nobody writes down when a lease was deleted: it was when we noticed, or a moment before. */
export function leaseEnd(last: StoredLease, noticedVersion: number): Delta {
  const version = Math.max(noticedVersion, last.version + 1)
  return { ...leaseDelta(last, last), deleted: true, version }
}

const lookOf = ({ object }: StoredLease) => ({
  labels: object.metadata.labels ?? {},
  fields: namespacedFields(object),
})
