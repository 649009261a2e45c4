/**
 * All leases. They have no index and no tombstones: every few seconds the table is scanned and
 * compared with the scan before, and what is absent is gone.
 *
 * What was seen is kept when nobody watches, so that a client which lists and then watches finds
 * its place. The one thing this cannot tell is a lease that was born, listed by the client and
 * deleted, all between two scans.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Key, Store, StoredLease } from '../../../shared/store/ports.ts'
import { type Delta, inOrder } from './delta.ts'
import { leaseDelta } from './lease-delta.ts'
import { changesOf } from './lease-name-source.ts'
import { polling } from './polling.ts'
import type { Batch, Source, SourceDeps } from './source.ts'
import { HISTORY_MS, OVERLAP, versionAt } from './timing.ts'

// A client that lists and then watches needs no longer from one to the other.
const LIST_TO_WATCH_MS = 10_000

type Leases = ReadonlyMap<string, StoredLease>

export interface LeaseTableSource extends Source {
  /** Takes a first look, so that watches from a list made after it find their place. */
  look(): Promise<void>
}

export function leaseTableSource({ store, ...deps }: SourceDeps): LeaseTableSource {
  let seen: Leases | undefined
  let firstVersion = Number.POSITIVE_INFINITY
  /** When the scans began that have not been interrupted since. */
  let runVersion = Number.POSITIVE_INFINITY
  let ends: readonly Delta[] = []

  const scan = async (): Promise<Batch> => {
    const polledVersion = versionAt(deps.now())
    const now = await confirmed(store, seen ?? new Map(), await scanned(store))
    const deltas = seen ? differences(seen, now, polledVersion) : []
    seen = now
    firstVersion = Math.min(firstVersion, polledVersion)
    runVersion = Math.min(runVersion, polledVersion)
    const kept = [...ends, ...deltas.filter(({ deleted }) => deleted)]
    ends = kept.filter(({ version }) => version >= polledVersion - versionAt(HISTORY_MS))
    return { deltas, polledVersion }
  }

  const isKnown = (version: number) => {
    const nowVersion = versionAt(deps.now())
    if (version < Math.max(firstVersion, nowVersion - versionAt(HISTORY_MS))) return false
    return version >= runVersion || version >= nowVersion - versionAt(LIST_TO_WATCH_MS)
  }

  const begin = () => {
    runVersion = Number.POSITIVE_INFINITY
  }
  const rhythm = polling({ ...deps, intervalMs: deps.settings.scanMs, begin, poll: scan })
  return {
    ...rhythm,
    async look() {
      if (!seen) await scan()
    },
    async since(version) {
      if (!seen || !isKnown(version)) return undefined
      const changed = [...seen.values()].filter((lease) => lease.version >= version - OVERLAP)
      const gone = ends.filter((end) => end.version >= version - OVERLAP)
      return inOrder([...gone, ...changed.map((lease) => leaseDelta(lease))])
    },
    learn() {},
  }
}

async function scanned(store: Store): Promise<Leases> {
  const found = new Map<string, StoredLease>()
  for await (const page of store.leases.scan()) {
    for (const lease of page) found.set(keyText(lease.key), lease)
  }
  return found
}

/**
 * A scan may show an older state than the one before it: whatever looks like that is read again,
 * consistently.
 */
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
  const names = new Set([...before.keys(), ...now.keys()])
  const deltas = [...names].flatMap((id) => changesOf(before.get(id), now.get(id), nowVersion))
  return inOrder(deltas)
}
