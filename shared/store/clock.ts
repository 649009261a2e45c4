/** What time is it for the store? Version stamps, and our clock corrected by DynamoDB's. */
import { type ClockSkew, correctedNowMs, leastSkewMs, narrowSkew } from '../lifecycle/clock-skew.ts'

export type WallClock = () => number

/**
 * The version of a write: microseconds since 1970, or one more than `previous` (0 when nothing is
 * stored). Called anew at each attempt.
 */
export type Stamp = (previous: number) => number

/**
 * The clock has milliseconds; the last three digits count the writes within one, so that the writes
 * of one process have different versions. They stop at 999, so that no version is in the future.
 */
export function stamps(clock: WallClock): Stamp {
  let lastMs = Number.NaN
  let micros = 0
  return (previous) => {
    const nowMs = Math.floor(clock())
    micros = nowMs === lastMs ? Math.min(micros + 1, 999) : 0
    lastMs = nowMs
    return Math.max(nowMs * 1_000 + micros, previous + 1)
  }
}

/**
 * Our clock, corrected by DynamoDB's where the two are too far apart: versions and deadlines are
 * stamped with it.
 */
export interface ClockGuard {
  observe(sentAtMs: number, dateHeader: string | undefined): void
  skewMs(): number
  /** Our clock, corrected where it is too far off. */
  nowMs(): number
}

/** Clocks drift, so the interval is started anew this often. */
const intervalKeptMs = 60_000

export function clockGuard(clock: () => number): ClockGuard {
  let skew: ClockSkew | undefined
  let sinceMs = Number.NEGATIVE_INFINITY
  const skewMs = () => leastSkewMs(skew)
  return {
    observe(sentAtMs, dateHeader) {
      const dateMs = Date.parse(dateHeader ?? '')
      if (Number.isNaN(dateMs)) return
      const receivedAtMs = clock()
      const stale = Math.abs(receivedAtMs - sinceMs) > intervalKeptMs
      if (stale) sinceMs = receivedAtMs
      skew = narrowSkew(stale ? undefined : skew, { sentAtMs, receivedAtMs, dateMs })
    },
    skewMs,
    nowMs: () => correctedNowMs(clock, skewMs),
  }
}
