/** Every resource but leases: one query of the version index a second, one read of the changes. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Resource, StoredForm } from '../../../shared/kube/resource.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store, StoredObject } from '../../../shared/store/ports.ts'
import {
  type ChangeSource,
  type ChangeSourceDeps,
  type Delta,
  inOrder,
  type Listener,
  type PollResult,
  pollLoop,
} from './change-source.ts'
import {
  latestPerUid,
  liveChange,
  missedChanges,
  newChanges,
  recentlyReported,
  recordRelist,
  recordReported,
  type WatchCache,
  watchCache,
  withImpliedDeletions,
} from './watch-cache.ts'
import { OVERLAP, versionAt } from './watch-options.ts'

export function objectSource(
  deps: ChangeSourceDeps,
  { plural, selectable, storedForm }: Resource,
): ChangeSource {
  const { store, now, settings } = deps
  const reader = deltaReader(store, plural, storedForm)
  let cache: WatchCache
  let relistedMs: number

  const start = () => {
    relistedMs = now()
    cache = watchCache(versionAt(relistedMs))
  }

  // What is reported and what is cached change together at the end, so a failed poll changes
  // nothing.
  const pollOrRelist = (wants: Listener['wants']): Promise<PollResult> =>
    now() - relistedMs < settings.relistMs ? poll(wants) : relist(wants)

  const poll = async (wants: Listener['wants']): Promise<PollResult> => {
    const polledVersion = versionAt(now())
    const changes = await store.objects.changes(plural, cache.horizon)
    const read = await reader.read(newChanges(cache, changes), wants)
    const deltas = withImpliedDeletions(cache, read).map(reader.withLastState)
    recordReported(cache, deltas, polledVersion - OVERLAP)
    return { deltas, polledVersion }
  }

  const relist = async (wants: Listener['wants']): Promise<PollResult> => {
    const startedMs = now()
    const list = await listAll(store, plural)
    const read = await reader.read(missedChanges(cache, list, versionAt(startedMs)), wants)
    const deltas = withImpliedDeletions(cache, read).map(reader.withLastState)
    recordReported(cache, deltas, cache.horizon)
    recordRelist(cache, list, versionAt(startedMs))
    relistedMs = startedMs
    if (deltas.length > 0) {
      const message = `a list of ${plural} showed ${deltas.length} changes that polls had missed`
      deps.log({ level: 'warn', message })
    }
    return { deltas, polledVersion: cache.horizon + OVERLAP }
  }

  return {
    ...pollLoop({ ...deps, intervalMs: () => settings.pollMs, start, poll: pollOrRelist }),
    async changesSince(version, wants) {
      const changes = await store.objects.changes(plural, version - OVERLAP)
      const recent = recentlyReported(cache).filter((change) => change.version >= version - OVERLAP)
      const deltas = await reader.read(latestPerUid([...changes, ...recent]), wants)
      return inOrder(deltas).map(reader.withLastState)
    },
    recordListed(items) {
      for (const item of items) {
        const fields = selectable(item.object)
        cache.listed.set(keyText(item.key), liveChange({ ...item, fields, createdVersion: 0 }))
      }
    },
  }
}

/** Adds objects to changes: the current one, or the last one seen of what is deleted. */
function deltaReader(store: Store, plural: string, form: StoredForm | undefined) {
  const lastSeen = new Map<string, KubeObject>()
  const inForm = (item: StoredObject): StoredObject =>
    form ? { ...item, object: form.fromStored(item.object) } : item

  const keep = (uid: string, object: KubeObject) => {
    lastSeen.delete(uid)
    lastSeen.set(uid, object)
    const [oldest] = lastSeen.keys()
    if (lastSeen.size > MAX_LAST_SEEN && oldest !== undefined) lastSeen.delete(oldest)
  }

  const live = (change: Delta, item: StoredObject): Delta => {
    keep(item.uid, item.object)
    const skipped = item.version > change.version && ({ mayHaveSkipped: true } as const)
    return { ...change, ...liveChange(item), object: item.object, ...skipped }
  }

  /**
   * Reads the objects that a watch wants. One that is not there, or has another uid by now, is left
   * until the index says so. The names of deleted objects are read too: a new object may have one,
   * stamped by a clock so far behind that this read of the index does not reach back to it.
   */
  const read = async (changes: readonly Delta[], wants: Listener['wants']) => {
    const wanted = new Set(changes.filter(wants))
    const keys = new Map([...wanted].map(({ key }) => [keyText(key), key]))
    const items = keys.size > 0 ? await store.objects.read(plural, [...keys.values()]) : []
    const byName = new Map(items.map((item) => [keyText(item.key), inForm(item)]))
    const shown = new Set(changes.filter(({ deleted }) => !deleted).map(({ uid }) => uid))
    return changes.flatMap((change): Delta[] => {
      const current = byName.get(keyText(change.key))
      if (!wanted.has(change)) return [change]
      if (!change.deleted) return current?.uid === change.uid ? [live(change, current)] : []
      if (!current || shown.has(current.uid)) return [change]
      shown.add(current.uid)
      return [change, live(liveChange(current), current)]
    })
  }

  /** A tombstone keeps only labels and fields; the last state seen here is the next best. */
  const withLastState = (delta: Delta): Delta => {
    const object = delta.deleted ? lastSeen.get(delta.uid) : undefined
    return object ? { ...delta, object } : delta
  }

  return { read, withLastState }
}

// About ten megabytes of nodes. Older ones are reported as deleted with name, uid and labels alone.
const MAX_LAST_SEEN = 1_000

const PAGE_SIZE = 500

async function listAll(store: Store, plural: string): Promise<readonly StoredObject[]> {
  const all: StoredObject[] = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.key
    const page = await store.objects.list(plural, {
      limit: PAGE_SIZE,
      depth: 'lean',
      ...(after && { after }),
    })
    all.push(...page.items)
    more = page.more && page.items.length > 0
  }
  return all
}
