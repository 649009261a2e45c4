/** What one tick did: counted here, told in the metrics. */
import type { Action } from '../../../shared/lifecycle/world.ts'
import type { MonitorLog } from '../deps.ts'

export type Deed = Action['do'] | 'held' | 'cells' | 'podCidrs' | 'cloud'

export interface Tally {
  readonly done: Map<Deed, number>
  readonly outrun: Map<Deed, number>
  readonly failed: Map<Deed, number>
  /** Commits that were not begun because the time was up. */
  unfinished: number
  /** Zone key -> first NoExecute taints given. */
  readonly tainted: Map<string, number>
  /** Pods removed as garbage, by `namespace reason`. */
  readonly collected: Map<string, number>
  readonly collectErrors: Map<string, number>
  /** Milliseconds from a deadline to the written Unknown. */
  readonly markLagsMs: number[]
  /** Milliseconds from a pod's due time to its written eviction. */
  readonly evictLagsMs: number[]
}

export function newTally(): Tally {
  return {
    done: new Map(),
    outrun: new Map(),
    failed: new Map(),
    unfinished: 0,
    tainted: new Map(),
    collected: new Map(),
    collectErrors: new Map(),
    markLagsMs: [],
    evictLagsMs: [],
  }
}

export function count<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

export const total = (counts: ReadonlyMap<unknown, number>): number =>
  counts.values().reduce((sum, each) => sum + each, 0)

/** The same failure a thousand times is one line and a number. */
const LOGGED_FAILURES = 3

export function noteFailure(
  { failed }: Tally,
  log: (entry: MonitorLog) => void,
  deed: Deed,
  error: unknown,
): void {
  count(failed, deed)
  if (failed.get(deed)! > LOGGED_FAILURES) return
  log({ level: 'error', message: `${deed} failed; the next tick tries again`, error })
}
