/** What authentication keeps in memory, for how long and how much of it. */
import { unavailable } from '../kube/status-error.ts'

/** A value that is read again, by the next caller, once it is older than `freshMs`. */
export interface RefreshingCache<T> {
  /** The last value read; undefined until a read succeeded. */
  last(): T | undefined
  /** Undefined while the value is fresh, so that a renewal does not even wait a microtask. */
  refresh(nowMs: number, olderThanMs?: number): Promise<void> | undefined
}

interface Source<T> {
  readonly what: string
  readonly freshMs: number
  load(): Promise<T>
  onTrouble(what: string, error: unknown): void
}

/** The wait after a failed read: long enough not to add to the load of a struggling source. */
const RETRY_MS = 5_000

export function refreshingCache<T>(source: Source<T>): RefreshingCache<T> {
  let value: T | undefined
  let triedAtMs = Number.NEGATIVE_INFINITY
  let dueAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  async function reload(nowMs: number): Promise<void> {
    triedAtMs = nowMs
    try {
      value = await source.load()
      dueAtMs = nowMs + source.freshMs
    } catch (error) {
      dueAtMs = nowMs + Math.min(RETRY_MS, source.freshMs)
      source.onTrouble(`${source.what} could not be read`, error)
      // Without any value no token can be trusted: the request fails and the client retries.
      if (value === undefined) {
        dueAtMs = Number.NEGATIVE_INFINITY
        throw unavailable(`${source.what} could not be read; try again`, 1)
      }
    } finally {
      running = undefined
    }
  }

  return {
    last: () => value,
    refresh(nowMs, olderThanMs) {
      if (running) return running
      const due = olderThanMs === undefined ? nowMs >= dueAtMs : nowMs - triedAtMs >= olderThanMs
      // When the clock jumped back, the value would count as fresh for as long as the jump.
      if (!due && nowMs >= triedAtMs) return undefined
      running = reload(nowMs)
      return running
    },
  }
}

/** A least-recently-used cache: bounded, so that no caller can make it grow. */
interface Lru<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
  delete(key: string): void
  readonly size: number
}

export function lru<T>(limit: number): Lru<T> {
  // A Map keeps the order of insertion: the first key is the least recently used.
  const entries = new Map<string, T>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size <= limit) return
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    },
    delete: (key) => void entries.delete(key),
    get size() {
      return entries.size
    },
  }
}
