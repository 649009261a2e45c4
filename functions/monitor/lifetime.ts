/** How long does one run tick on? */
import { LIFETIME_MS } from './loop.ts'

/** The schedule starts a run this often: see infra/constructs/monitor.ts. */
const STARTED_EVERY_MS = 60_000
/** For the tick it is in, and for handing over. */
const RESERVE_MS = 60_000

/** Who ticks no more often than it is started need not wait, and be paid for, in between. */
export function lifetimeMs(periodMs: number, remainingMs: number): number {
  if (periodMs >= STARTED_EVERY_MS) return 0
  return Math.min(LIFETIME_MS, remainingMs - RESERVE_MS)
}
