/**
 * One lease, polled by its key. What it was before does not matter: what it is now says what to
 * tell.
 */
import type { Key, StoredLease } from '../../../shared/store/ports.ts'
import type { Delta } from './delta.ts'
import { leaseDelta, leaseEnd } from './lease-delta.ts'
import { polling } from './polling.ts'
import type { Batch, Source, SourceDeps } from './source.ts'
import { OVERLAP, versionAt } from './timing.ts'

export function leaseNameSource({ store, ...deps }: SourceDeps, key: Key): Source {
  let last: StoredLease | undefined
  let hasLooked = false

  const poll = async (): Promise<Batch> => {
    const polledVersion = versionAt(deps.now())
    const lease = await store.leases.get(key)
    const deltas = hasLooked ? changesOf(last, lease, polledVersion) : []
    last = lease
    hasLooked = true
    return { deltas, polledVersion }
  }

  const rhythm = polling({ ...deps, intervalMs: deps.settings.pollMs, poll })
  return {
    ...rhythm,
    async since(version) {
      const lease = await store.leases.get(key)
      // A client that never had it does not mind hearing that it is gone.
      if (!lease) return [goneByNow(key, versionAt(deps.now()))]
      return lease.version >= version - OVERLAP ? [leaseDelta(lease)] : []
    },
    learn() {},
  }
}

export function changesOf(
  last: StoredLease | undefined,
  lease: StoredLease | undefined,
  nowVersion: number,
): readonly Delta[] {
  if (last && lease && last.uid === lease.uid) {
    return lease.version > last.version ? [leaseDelta(lease, last)] : []
  }
  return [...(last ? [leaseEnd(last, nowVersion)] : []), ...(lease ? [leaseDelta(lease)] : [])]
}

function goneByNow(key: Key, version: number): Delta {
  const { namespace, name } = key
  const fields = { 'metadata.name': name, 'metadata.namespace': namespace }
  return { key, uid: '', version, deleted: true, labels: {}, fields, createdVersion: 0 }
}
