/**
 * Watches of leases, which have neither an index nor tombstones: one lease is polled by its key,
 * all leases by a scan of the table every few seconds. What differs from the last poll has changed,
 * what is absent is deleted.
 */
import { namespacedFields } from '../../../shared/kube/meta/metadata.ts'
import { parseTimeMs } from '../../../shared/kube/time.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Key, Store, StoredLease } from '../../../shared/store/ports.ts'
import {
  type ChangeSource,
  type ChangeSourceDeps,
  type Delta,
  inOrder,
  type PollResult,
  pollLoop,
} from './change-source.ts'
import { HISTORY_MS, OVERLAP, versionAt } from './watch-options.ts'

/** One lease by its name. Its past does not matter: the current state says what to report. */
export function leaseSource({ store, ...deps }: ChangeSourceDeps, key: Key): ChangeSource {
  let last: StoredLease | undefined
  let hasPolled = false

  const poll = async (): Promise<PollResult> => {
    const polledVersion = versionAt(deps.now())
    const lease = await store.leases.get(key)
    const deltas = hasPolled ? differenceOf(last, lease, polledVersion) : []
    last = lease
    hasPolled = true
    return { deltas, polledVersion }
  }

  return {
    ...pollLoop({ ...deps, intervalMs: () => deps.settings.pollMs, poll }),
    async changesSince(version) {
      const lease = await store.leases.get(key)
      // A DELETED is harmless for a client that never had the lease.
      if (!lease) return [absentLease(key, versionAt(deps.now()))]
      return lease.version >= version - OVERLAP ? [leaseDelta(lease)] : []
    },
    recordListed() {},
  }
}

// A scan of so many is one page and 18 read units: they are scanned as often as other kinds are
// polled. Of more, a change shows with the slower scan.
const QUICK_SCAN_LEASES = 1_000

// A client that lists and then watches needs no longer from one to the other.
const LIST_TO_WATCH_MS = 10_000

type Leases = ReadonlyMap<string, StoredLease>

export interface LeaseTableSource extends ChangeSource {
  /** The first scan: a watch from a list made after it finds its version known. */
  scanOnce(): Promise<void>
}

/**
 * All leases. The last scan is kept while there is no watch, so that a client which lists and then
 * watches finds its version known. It cannot report the deletion of a lease that was created,
 * listed by the client and deleted between two scans.
 */
export function leaseTableSource({ store, ...deps }: ChangeSourceDeps): LeaseTableSource {
  let seen: Leases | undefined
  let firstVersion = Number.POSITIVE_INFINITY
  /** When the current series of scans without a gap began. */
  let seriesVersion = Number.POSITIVE_INFINITY
  let deletions: readonly Delta[] = []

  const scan = async (): Promise<PollResult> => {
    const polledVersion = versionAt(deps.now())
    const now = await confirmed(store, seen ?? new Map(), await scanAll(store))
    const deltas = seen ? differences(seen, now, polledVersion) : []
    seen = now
    firstVersion = Math.min(firstVersion, polledVersion)
    seriesVersion = Math.min(seriesVersion, polledVersion)
    const kept = [...deletions, ...deltas.filter(({ deleted }) => deleted)]
    deletions = kept.filter(({ version }) => version >= polledVersion - versionAt(HISTORY_MS))
    return { deltas, polledVersion }
  }

  const intervalMs = () => {
    const { pollMs, scanMs } = deps.settings
    return seen && seen.size <= QUICK_SCAN_LEASES ? pollMs : scanMs
  }

  const isKnown = (version: number) => {
    const nowVersion = versionAt(deps.now())
    if (version < Math.max(firstVersion, nowVersion - versionAt(HISTORY_MS))) return false
    return version >= seriesVersion || version >= nowVersion - versionAt(LIST_TO_WATCH_MS)
  }

  const start = () => {
    seriesVersion = Number.POSITIVE_INFINITY
  }
  return {
    ...pollLoop({ ...deps, intervalMs, start, poll: scan }),
    async scanOnce() {
      if (!seen) await scan()
    },
    async changesSince(version) {
      if (!seen || !isKnown(version)) return undefined
      const changed = [...seen.values()].filter((lease) => lease.version >= version - OVERLAP)
      const deleted = deletions.filter((deletion) => deletion.version >= version - OVERLAP)
      return inOrder([...deleted, ...changed.map((lease) => leaseDelta(lease))])
    },
    recordListed() {},
  }
}

async function scanAll(store: Store): Promise<Leases> {
  const found = new Map<string, StoredLease>()
  for await (const page of store.leases.scan()) {
    for (const lease of page) found.set(keyText(lease.key), lease)
  }
  return found
}

/** A scan may show an older state than the one before it: such leases are read consistently. */
async function confirmed(store: Store, before: Leases, found: Leases): Promise<Leases> {
  const suspects: Key[] = []
  for (const [id, last] of before) {
    const lease = found.get(id)
    if (lease?.uid !== last.uid || lease.version < last.version) suspects.push(last.key)
  }
  if (suspects.length === 0) return found
  const certain = new Map(found)
  for (const key of suspects) certain.delete(keyText(key))
  for (const lease of await store.leases.read(suspects)) certain.set(keyText(lease.key), lease)
  return certain
}

function differences(before: Leases, now: Leases, nowVersion: number): readonly Delta[] {
  const ids = new Set([...before.keys(), ...now.keys()])
  return inOrder([...ids].flatMap((id) => differenceOf(before.get(id), now.get(id), nowVersion)))
}

function differenceOf(
  last: StoredLease | undefined,
  lease: StoredLease | undefined,
  nowVersion: number,
): readonly Delta[] {
  if (last && lease && last.uid === lease.uid) {
    return lease.version > last.version ? [leaseDelta(lease, last)] : []
  }
  return [...(last ? [leaseDeletion(last, nowVersion)] : []), ...(lease ? [leaseDelta(lease)] : [])]
}

/** Nothing is stored about a lease's past, so it is what this source last saw. */
function leaseDelta(lease: StoredLease, last?: StoredLease): Delta {
  const { key, uid, version, object } = lease
  const { creationTimestamp } = object.metadata
  const createdMs = creationTimestamp ? parseTimeMs(creationTimestamp) : undefined
  return {
    key,
    uid,
    version,
    deleted: false,
    ...stateOf(lease),
    ...(last && { before: { version: last.version, ...stateOf(last) }, mayHaveSkipped: true }),
    createdVersion: versionAt(createdMs ?? 0),
    object,
  }
}

/** When a lease was deleted is not stored: its version is when this source noticed. */
function leaseDeletion(last: StoredLease, noticedVersion: number): Delta {
  const version = Math.max(noticedVersion, last.version + 1)
  return { ...leaseDelta(last, last), deleted: true, version }
}

const stateOf = ({ object }: StoredLease) => ({
  labels: object.metadata.labels ?? {},
  fields: namespacedFields(object),
})

function absentLease(key: Key, version: number): Delta {
  const { namespace, name } = key
  const fields = { 'metadata.name': name, 'metadata.namespace': namespace }
  return { key, uid: '', version, deleted: true, labels: {}, fields, createdVersion: 0 }
}
