/** How many watches may there be, how long may each last, and how often do they poll? */

const WATCH_POLL_MS = 1_000

export interface WatchSettings {
  readonly pollMs: number
  /** Between two scans of all leases, where they are many. */
  readonly scanMs: number
  /** Between two comparisons with a full list. */
  readonly relistMs: number
  /** A watch without a timeout lasts one to two times this long. */
  readonly minTimeoutMs: number
  /** No watch lasts longer. */
  readonly maxTimeoutMs: number
  /** Of all callers; one of them has a share: see `shareOf`. */
  readonly maxWatches: number
  /** `shared`: counted in the table, because every watch may be in a process of its own. */
  readonly slots: 'shared' | 'local'
}

/** One long-lived process, as in local mode. */
export const LOCAL_WATCHES: WatchSettings = {
  pollMs: WATCH_POLL_MS,
  scanMs: 5_000,
  relistMs: 10 * 60_000,
  minTimeoutMs: 30 * 60_000,
  // Longer than any client asks for; timers cannot count much further.
  maxTimeoutMs: 24 * 60 * 60_000,
  maxWatches: 1_000,
  slots: 'local',
}

export const LAMBDA_WATCHES: WatchSettings = {
  ...LOCAL_WATCHES,
  maxTimeoutMs: 5 * 60_000,
  maxWatches: 50,
  slots: 'shared',
}
