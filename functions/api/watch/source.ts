/** Where do changes come from? One source feeds all watches of a resource in this process. */
import type { Store } from '../../../shared/store/ports.ts'
import type { LogEntry } from '../deps.ts'
import type { Stored } from '../memory/shelf.ts'
import type { Delta } from './delta.ts'
import type { Timers } from './timing.ts'
import type { WatchSettings } from './watch-settings.ts'

export interface Batch {
  readonly deltas: readonly Delta[]
  /** When the poll began, as a version: resuming from it (minus the overlap) misses nothing. */
  readonly polledVersion: number
}

export interface Listener {
  /** False where this change cannot matter to it, so that the object need not be read. */
  wants(change: Delta): boolean
  hear(batch: Batch): void
  /** The source has given up. */
  fail(error: unknown): void
}

export interface Source {
  /** Returns how to leave. The first to join starts the polling, the last to leave stops it. */
  join(listener: Listener): () => void
  /** After this, what was found before the listener joined can be asked for with `since`. */
  settled(): Promise<void>
  /**
   * What changed at or after a version minus the overlap; undefined when nobody knows that any
   * more.
   */
  since(version: number, wants: Listener['wants']): Promise<readonly Delta[] | undefined>
  /** What a watcher was shown in a list, so that it is missed when it vanishes. */
  learn(items: readonly Stored[]): void
}

export interface SourceDeps {
  readonly store: Store
  /** Milliseconds, corrected where the clock is known to be wrong. */
  readonly now: () => number
  readonly timers: Timers
  readonly log: (entry: LogEntry) => void
  readonly settings: Pick<WatchSettings, 'pollMs' | 'scanMs' | 'compareMs'>
}
