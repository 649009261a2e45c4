/**
 * All objects of one resource as last seen. Read whole when the monitor starts and every ten
 * minutes, in between only what changed. It may lag behind: every write states the version it was
 * decided on.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, Key, Store, StoredObject } from '../../../shared/store/ports.ts'

/** One look; `poisoned` are records that could not be read and are left out. */
export interface Refresh {
  readonly kind: 'whole' | 'delta'
  readonly poisoned: number
}

export interface ObjectCache {
  readonly objects: ReadonlyMap<string, StoredObject>
  refresh(nowMs: number): Promise<Refresh>
  /** These, read consistently. */
  reread(keys: readonly Key[]): Promise<void>
  /** What we have just written ourselves, so that nobody needs to read it. */
  put(object: StoredObject): void
  drop(key: Key): void
}

export interface CacheOptions {
  readonly store: Store
  readonly resource: string
  /** Told of every difference: what there was, what there is. */
  readonly onChange?: (before: StoredObject | undefined, after: StoredObject | undefined) => void
}

/** A write attempt (2 s), two clocks that may each be off (2 s) and the usual lag of an index. */
const OVERLAP_MS = 10_000
/** What an index lost for longer than the overlap is found again then. */
const WHOLE_EVERY_MS = 600_000
const PAGE = 1_000

export function objectCache({ store, resource, onChange }: CacheOptions): ObjectCache {
  const objects = new Map<string, StoredObject>()
  let wholeAtMs: number | undefined
  let seenAtMs = 0

  const put = (next: StoredObject) => {
    const id = keyText(next.key)
    const before = objects.get(id)
    // Reads and our own writes may arrive in any order: the newest wins.
    if (before?.uid === next.uid && before.version >= next.version) return
    objects.set(id, next)
    onChange?.(before, next)
  }

  const drop = (key: Key) => {
    const id = keyText(key)
    const before = objects.get(id)
    if (before && objects.delete(id)) onChange?.(before, undefined)
  }

  const reread = async (keys: readonly Key[]) => {
    if (keys.length === 0) return
    const found = await store.objects.read(resource, keys, 'lean')
    const present = new Set(found.map(({ key }) => keyText(key)))
    for (const object of found) put(object)
    for (const key of keys) if (!present.has(keyText(key))) drop(key)
  }

  const whole = async (): Promise<number> => {
    const present = new Set<string>()
    let poisoned = 0
    let after: Key | undefined
    for (;;) {
      const page = await store.objects.list(resource, {
        limit: PAGE,
        depth: 'lean',
        ...(after && { after }),
      })
      for (const object of page.items) {
        present.add(keyText(object.key))
        put(object)
      }
      poisoned += page.poisoned.length
      after = page.items.at(-1)?.key
      if (!page.more || !after) break
    }
    for (const { key } of [...objects.values()]) if (!present.has(keyText(key))) drop(key)
    return poisoned
  }

  const delta = async () => {
    const changes = await store.objects.changes(resource, (seenAtMs - OVERLAP_MS) * 1_000)
    await reread(changes.filter((change) => isNews(objects, change)).map(({ key }) => key))
  }

  return {
    objects,
    reread,
    put,
    drop,
    async refresh(nowMs) {
      const isWhole = wholeAtMs === undefined || nowMs - wholeAtMs >= WHOLE_EVERY_MS
      let poisoned = 0
      if (isWhole) poisoned = await whole()
      else await delta()
      // Only now: a look that failed half-way is repeated from where the last good one began.
      if (isWhole) wholeAtMs = nowMs
      seenAtMs = nowMs
      return { kind: isWhole ? 'whole' : 'delta', poisoned }
    },
  }
}

/** A tombstone of an object we know as newer, or under another uid, is an old story. */
function isNews(known: ReadonlyMap<string, StoredObject>, change: Change): boolean {
  const found = known.get(keyText(change.key))
  if (change.deleted) return found?.uid === change.uid
  return found?.uid !== change.uid || found.version < change.version
}
