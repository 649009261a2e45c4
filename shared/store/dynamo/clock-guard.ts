/**
 * How far is our clock from the memory's? Every answer has a `Date`, cut to the second, so one
 * answer says little. But each confines the difference to an interval, and the intervals of many
 * answers leave only milliseconds.
 */

/** Beyond this our clock is not believed. */
export const maxSkewMs = 2_000

export interface Skew {
  readonly lowMs: number
  readonly highMs: number
}

export interface Answer {
  readonly sentAtMs: number
  readonly receivedAtMs: number
  /** The `Date` header: the other clock stood somewhere in the second that begins here. */
  readonly dateMs: number
}

/**
 * Our clock minus the other. An answer that contradicts the earlier ones says that a clock was
 * moved: it wins.
 */
export function narrow(known: Skew | undefined, answer: Answer): Skew {
  const lowMs = answer.sentAtMs - (answer.dateMs + 1_000)
  const highMs = answer.receivedAtMs - answer.dateMs
  if (!known) return { lowMs, highMs }
  const both = { lowMs: Math.max(known.lowMs, lowMs), highMs: Math.min(known.highMs, highMs) }
  return both.lowMs <= both.highMs ? both : { lowMs, highMs }
}

/** The least difference that explains the answers: doubt needs proof. */
export function skewOf(skew: Skew | undefined): number {
  if (!skew) return 0
  if (skew.lowMs > 0) return skew.lowMs
  return Math.min(skew.highMs, 0)
}

export interface ClockGuard {
  heard(sentAtMs: number, dateHeader: string | undefined): void
  skewMs(): number
  /** Our clock, put right where it is too far off. */
  nowMs(): number
}

/** Clocks drift apart, so what was learned is forgotten now and then. */
const memoryMs = 60_000

export function clockGuard(clock: () => number): ClockGuard {
  let skew: Skew | undefined
  let sinceMs = Number.NEGATIVE_INFINITY
  const skewMs = () => skewOf(skew)
  return {
    heard(sentAtMs, dateHeader) {
      const dateMs = Date.parse(dateHeader ?? '')
      if (Number.isNaN(dateMs)) return
      const receivedAtMs = clock()
      const stale = Math.abs(receivedAtMs - sinceMs) > memoryMs
      if (stale) sinceMs = receivedAtMs
      skew = narrow(stale ? undefined : skew, { sentAtMs, receivedAtMs, dateMs })
    },
    skewMs,
    nowMs() {
      const offMs = skewMs()
      return Math.abs(offMs) > maxSkewMs ? clock() - offMs : clock()
    },
  }
}
