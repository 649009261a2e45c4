/** How often, how long, how many? Locally and in Lambda. */
import { COMPARE_MS, DEADLINE_MARGIN_MS, POLL_MS, SCAN_MS } from './timing.ts'

export interface WatchSettings {
  readonly pollMs: number
  /** Between two scans of all leases. */
  readonly scanMs: number
  readonly compareMs: number
  /** A watch without a timeout lives from one to two times this long. */
  readonly lifeMs: number
  /** No watch lives longer. */
  readonly maxLifeMs: number
  readonly maxWatches: number
  /** `shared`: counted in the table, because every watch may be in a process of its own. */
  readonly slots: 'shared' | 'local'
}

/** One process of our own. */
export const LOCAL_WATCHES: WatchSettings = {
  pollMs: POLL_MS,
  scanMs: SCAN_MS,
  compareMs: COMPARE_MS,
  lifeMs: 30 * 60_000,
  // Nobody means to watch for longer, and timers cannot count much further.
  maxLifeMs: 24 * 60 * 60_000,
  maxWatches: 1_000,
  slots: 'local',
}

export const LAMBDA_WATCHES: WatchSettings = {
  ...LOCAL_WATCHES,
  maxLifeMs: 5 * 60_000,
  maxWatches: 50,
  slots: 'shared',
}

export interface Circumstances {
  readonly clock: () => number
  readonly random: () => number
  /** When this process will be stopped from outside, if that is known (Lambda). */
  readonly deadlineMs?: () => number | undefined
}

export function lifeOf(
  timeoutSeconds: number | undefined,
  settings: WatchSettings,
  { clock, random, deadlineMs }: Circumstances,
): number {
  const chosenMs = settings.lifeMs * (1 + random())
  const askedMs = timeoutSeconds === undefined ? chosenMs : timeoutSeconds * 1_000
  const leftMs = (deadlineMs?.() ?? Number.POSITIVE_INFINITY) - clock() - DEADLINE_MARGIN_MS
  return Math.max(0, Math.min(askedMs, settings.maxLifeMs, leftMs))
}
