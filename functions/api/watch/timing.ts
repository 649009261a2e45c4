/**
 * How long does what take, at worst? Everything a watch promises rests on these numbers.
 *
 * A change is stamped, then written, then shown by the index. At time T a reader of the index
 * therefore sees every change stamped before T minus OVERLAP, whoever stamped it, and nobody's
 * stamp is further ahead of T than the clock allowance.
 */
import { tombstoneKeptMs } from '../../../shared/store/object-state.ts'

// An attempt to write is given up after this long, and the next one is stamped anew.
const ATTEMPT_MS = 2_000
// Beyond this a process corrects its stamps (see now.ts). Twice: for the clock that stamps and for
// the one that reads.
const CLOCK_MS = 2_000
// How late the index is when all is well. What is later still is found by the comparison with a
// full list.
const INDEX_LAG_MS = 5_000

export const OVERLAP_MS = ATTEMPT_MS + 2 * CLOCK_MS + INDEX_LAG_MS

/** Tombstones are kept this long; before that nobody can tell what was deleted. */
export const HISTORY_MS = tombstoneKeptMs - OVERLAP_MS
/**
 * Two clocks at their worst, and a little for a list that was quick: later versions are from
 * another world.
 */
export const FUTURE_MS = 2 * CLOCK_MS + 1_000

export const POLL_MS = 1_000
/** A scan reads every lease there is. */
export const SCAN_MS = 5_000
export const COMPARE_MS = 10 * 60_000
export const BOOKMARK_MS = 60_000
/** The function is killed at its deadline; the last frames and the slot need a moment before. */
export const DEADLINE_MARGIN_MS = 5_000

const MICROS = 1_000

export const versionAt = (ms: number): number => Math.floor(ms) * MICROS
export const OVERLAP = versionAt(OVERLAP_MS)

export interface Timers {
  /** Returns how to call it off. */
  after(delayMs: number, run: () => void): () => void
}

export const realTimers: Timers = {
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
}
