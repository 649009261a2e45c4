/**
 * What version does a write get? A number that grows with time: microseconds, or one more than what
 * was there.
 */

export type Clock = () => number

/** Stamps one write over what was there before; 0 when nothing was. Asked anew at each attempt. */
export type Stamp = (previous: number) => number

/**
 * The clock ticks in milliseconds; the digits below count the writes within one, so that the writes
 * of one process have different versions. They stop at 999 rather than run ahead of time.
 */
export function stamps(clock: Clock): Stamp {
  let lastMs = Number.NaN
  let micros = 0
  return (previous) => {
    const nowMs = Math.floor(clock())
    micros = nowMs === lastMs ? Math.min(micros + 1, 999) : 0
    lastMs = nowMs
    return Math.max(nowMs * 1_000 + micros, previous + 1)
  }
}
