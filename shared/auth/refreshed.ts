/**
 * Something small that lives elsewhere and is looked at again now and then, by whoever needs it
 * next.
 */
import { unavailable } from '../kube/status-error.ts'

export interface Refreshed<T> {
  /** What was last seen; undefined until the first look succeeded. */
  last(): T | undefined
  /**
   * Undefined when what we have is young enough, so that the hot path does not even wait a
   * microtask.
   */
  refresh(nowMs: number, olderThanMs?: number): Promise<void> | undefined
}

export interface Source<T> {
  readonly what: string
  readonly freshMs: number
  load(): Promise<T>
  onTrouble(what: string, error: unknown): void
}

/** After a failed look, how long until the next: long enough not to add to somebody's trouble. */
const RETRY_MS = 5_000

export function refreshed<T>(source: Source<T>): Refreshed<T> {
  let value: T | undefined
  let triedAtMs = Number.NEGATIVE_INFINITY
  let dueAtMs = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined

  async function look(nowMs: number): Promise<void> {
    triedAtMs = nowMs
    try {
      value = await source.load()
      dueAtMs = nowMs + source.freshMs
    } catch (error) {
      dueAtMs = nowMs + Math.min(RETRY_MS, source.freshMs)
      source.onTrouble(`${source.what} could not be read`, error)
      // Knowing nothing at all is no reason to believe everything: the request fails and is tried
      // again.
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
      // A clock that jumped back must not leave us believing old news for as long as the jump.
      if (!due && nowMs >= triedAtMs) return undefined
      running = look(nowMs)
      return running
    },
  }
}
