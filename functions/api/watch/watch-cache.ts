/**
 * What has already been reported? The index is read again and again over the same few seconds, from
 * replicas that are not equally late; the cache knows what is new in it, and what a full list shows
 * that the polls have missed.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, StoredObject } from '../../../shared/store/ports.ts'
import { type Delta, inOrder } from './change-source.ts'
import { OVERLAP } from './watch-options.ts'

export interface WatchCache {
  /** Where the first poll reads from. */
  readonly startVersion: number
  /** Every change before it has been seen. */
  horizon: number
  /** The last change reported of each name, while an object has that name. */
  readonly reported: Map<string, Delta>
  /** Deletions that were reported, by uid, while the index may still show the object. */
  readonly deletions: Map<string, Delta>
  /** Objects that watches were sent from a list. */
  readonly listed: Map<string, Change>
}

export function watchCache(nowVersion: number): WatchCache {
  const startVersion = nowVersion - OVERLAP
  const maps = { reported: new Map(), deletions: new Map(), listed: new Map() }
  return { startVersion, horizon: startVersion, ...maps }
}

/** Those among the changes that have not been reported. */
export const newChanges = (cache: WatchCache, changes: readonly Change[]): readonly Change[] =>
  latestPerUid(changes).filter((change) => !isReported(cache, change))

function isReported({ reported, deletions }: WatchCache, change: Change): boolean {
  if (deletions.has(change.uid)) return true
  const last = reported.get(keyText(change.key))
  return !change.deleted && last?.uid === change.uid && last.version >= change.version
}

/** In order, with a deletion of the old object where a name has a new one and no tombstone. */
export function withImpliedDeletions(
  cache: WatchCache,
  deltas: readonly Delta[],
): readonly Delta[] {
  const deleted = new Set(deltas.filter((delta) => delta.deleted).map(({ uid }) => uid))
  const implied = deltas.flatMap((delta): Delta[] => {
    const last = delta.deleted ? undefined : cache.reported.get(keyText(delta.key))
    const isReplaced = last && last.uid !== delta.uid && !deleted.has(last.uid)
    return isReplaced ? [impliedDeletion(last, delta.version)] : []
  })
  return inOrder([...deltas, ...implied])
}

function impliedDeletion(last: Change, version: number): Delta {
  const { labels, fields } = last
  const before = { version: last.version, labels, fields }
  const deletedVersion = Math.max(version, last.version + 1)
  return { ...last, deleted: true, version: deletedVersion, before, mayHaveSkipped: true }
}

/** In the order in which they are reported. */
export function recordReported(cache: WatchCache, deltas: readonly Delta[], horizon: number): void {
  const { reported, deletions } = cache
  for (const { object: _object, ...change } of deltas) {
    const id = keyText(change.key)
    cache.listed.delete(id)
    if (!change.deleted) reported.set(id, change)
    else if (reported.get(id)?.uid === change.uid) reported.delete(id)
    if (change.deleted) deletions.set(change.uid, change)
  }
  cache.horizon = Math.max(cache.horizon, horizon)
  for (const [uid, { version }] of deletions) if (version < cache.horizon) deletions.delete(uid)
}

/** Reported lately, so another replica of the index may not show it yet. */
export function recentlyReported({ reported, deletions, horizon }: WatchCache): readonly Delta[] {
  const all = [...reported.values(), ...deletions.values()]
  return all.filter(({ version }) => version >= horizon)
}

/** One change for each object: its deletion if there is one, else the latest. */
export function latestPerUid(changes: readonly Delta[]): readonly Delta[] {
  const byUid = new Map<string, Delta>()
  for (const change of changes) {
    const last = byUid.get(change.uid)
    const isLater = !last || (!last.deleted && (change.deleted || change.version > last.version))
    if (isLater) byUid.set(change.uid, change)
  }
  return [...byUid.values()]
}

/**
 * What did the polls miss? The index is sometimes later than usual. `listVersion` is when the list
 * began; changes younger than the overlap are left to the polls.
 */
export function missedChanges(
  cache: WatchCache,
  list: readonly StoredObject[],
  listVersion: number,
): readonly Delta[] {
  const settled = listVersion - OVERLAP
  const names = new Set(list.map(({ key }) => keyText(key)))
  const live = list.filter((item) => item.version < settled && isUnreported(cache, item))
  const vanished = [...reportedOrListed(cache)].filter(
    ({ key, version }) => version < settled && !names.has(keyText(key)),
  )
  return [
    ...live.map((item) => withBefore(cache, item)),
    ...vanished.map((last) => impliedDeletion(last, listVersion)),
  ]
}

function isUnreported({ reported, startVersion }: WatchCache, item: StoredObject): boolean {
  const last = reported.get(keyText(item.key))
  if (!last) return item.version >= startVersion
  return last.uid !== item.uid || last.version < item.version
}

function withBefore({ reported, listed }: WatchCache, item: StoredObject): Delta {
  const last = reported.get(keyText(item.key)) ?? listed.get(keyText(item.key))
  if (last?.uid !== item.uid) return liveChange(item)
  const { version, labels, fields } = last
  return { ...liveChange(item), before: { version, labels, fields }, mayHaveSkipped: true }
}

function reportedOrListed({ reported, listed, deletions }: WatchCache): Iterable<Change> {
  const others = [...listed].filter(([id, { uid }]) => !reported.has(id) && !deletions.has(uid))
  return new Map([...others, ...reported]).values()
}

export function liveChange(item: Omit<StoredObject, 'resource'>): Change {
  const { key, uid, version, createdVersion, fields } = item
  const labels = item.object.metadata.labels ?? {}
  return { key, uid, version, createdVersion, fields, labels, deleted: false }
}

/** From now on every listed object counts as reported, so that the next relist finds it missing. */
export function recordRelist(
  cache: WatchCache,
  list: readonly StoredObject[],
  listVersion: number,
): void {
  const settled = listVersion - OVERLAP
  for (const item of list) {
    const id = keyText(item.key)
    if (item.version < settled && !cache.reported.has(id)) cache.reported.set(id, liveChange(item))
  }
  cache.listed.clear()
}
