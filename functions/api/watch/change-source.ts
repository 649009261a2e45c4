/**
 * Where do the changes that watches report come from? One source for each resource feeds all its
 * watches in this process, by one poll at a time for as long as there is a watch.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, Store } from '../../../shared/store/ports.ts'
import type { LogEntry } from '../deps.ts'
import type { Stored } from '../storage/resource-storage.ts'
import type { WatchSettings } from './watch-limits.ts'

/** One change of one object. */
export interface Delta extends Change {
  /** The state now, or the last one known of a deleted object. Absent where no watch wants it. */
  readonly object?: KubeObject
  /** There may have been other states between `before` and this one. */
  readonly mayHaveSkipped?: true
}

export interface PollResult {
  readonly deltas: readonly Delta[]
  /** When the poll began, as a version: resuming from it (minus the overlap) misses nothing. */
  readonly polledVersion: number
}

export interface Listener {
  /** False where this change cannot matter to the watch, so that the object need not be read. */
  wants(change: Delta): boolean
  receive(result: PollResult): void
  /** The source has given up. */
  fail(error: unknown): void
}

export interface ChangeSource {
  /** Returns the unsubscribe. The first listener starts the polling, the last one stops it. */
  subscribe(listener: Listener): () => void
  /** Ends with the poll under way: what it finds is then part of `changesSince`. */
  pollFinished(): Promise<void>
  /** Changes at or after a version minus the overlap; undefined when they are no longer known. */
  changesSince(version: number, wants: Listener['wants']): Promise<readonly Delta[] | undefined>
  /** Objects that a watch sent from a list, so that a relist notices when they vanish. */
  recordListed(items: readonly Stored[]): void
}

export interface ChangeSourceDeps {
  readonly store: Store
  /** Milliseconds, corrected where the clock is known to be wrong. */
  readonly now: () => number
  readonly timers: Timers
  readonly log: (entry: LogEntry) => void
  readonly settings: Pick<WatchSettings, 'pollMs' | 'scanMs' | 'relistMs'>
}

export interface Timers {
  /** Returns the cancel. */
  after(delayMs: number, run: () => void): () => void
}

export const realTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}

/**
 * Oldest first, because a client that is cut off in the middle resumes from the last version it
 * saw. The new object of a name comes after the deletion of the old one, even if the clock of its
 * writer says otherwise.
 */
export function inOrder(deltas: readonly Delta[]): readonly Delta[] {
  const deletions = new Map<string, number>()
  for (const { deleted, key, version } of deltas) {
    const id = keyText(key)
    if (deleted) deletions.set(id, Math.max(version, deletions.get(id) ?? 0))
  }
  const place = (delta: Delta) =>
    delta.deleted ? delta.version : Math.max(delta.version, deletions.get(keyText(delta.key)) ?? 0)
  return deltas.toSorted((a, b) => place(a) - place(b) || Number(b.deleted) - Number(a.deleted))
}

// A silent watch says nothing wrong; but after this many failed polls in a row its client does
// better to connect again.
const MAX_FAILURES = 30

interface PollLoopOptions {
  /** Until the next poll, asked after each. */
  readonly intervalMs: () => number
  readonly timers: Timers
  readonly log: (entry: LogEntry) => void
  /** Called when the first listener subscribes and no poll is under way. */
  readonly start?: () => void
  readonly poll: (wants: Listener['wants']) => Promise<PollResult>
}

export function pollLoop(
  options: PollLoopOptions,
): Pick<ChangeSource, 'subscribe' | 'pollFinished'> {
  const listeners = new Set<Listener>()
  const wants: Listener['wants'] = (change) => {
    for (const listener of listeners) if (listener.wants(change)) return true
    return false
  }
  let failures = 0
  let underWay: Promise<void> | undefined
  let cancelNext: (() => void) | undefined

  const poll = async () => {
    try {
      const result = await options.poll(wants)
      failures = 0
      for (const listener of [...listeners]) listener.receive(result)
    } catch (error) {
      failures += 1
      options.log({ level: 'warn', message: 'a poll for watches failed', error })
      if (failures < MAX_FAILURES) return
      for (const listener of [...listeners]) listener.fail(error)
    }
  }

  const run = () => {
    cancelNext = undefined
    underWay = poll().then(() => {
      underWay = undefined
      if (listeners.size > 0) cancelNext = options.timers.after(options.intervalMs(), run)
    })
  }

  const unsubscribe = (listener: Listener) => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    cancelNext?.()
    cancelNext = undefined
  }

  return {
    subscribe(listener) {
      const isIdle = listeners.size === 0 && !underWay
      listeners.add(listener)
      if (isIdle) {
        failures = 0
        options.start?.()
        run()
      }
      return () => unsubscribe(listener)
    },
    pollFinished: async () => await underWay,
  }
}
