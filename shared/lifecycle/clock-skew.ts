/**
 * How far is our clock from another one? Every HTTP answer has a `Date`, cut to the second, so one
 * answer says little. But each confines the difference to an interval, and the intervals of many
 * answers leave only milliseconds.
 */
import { MAX_CLOCK_SKEW_MS } from './clock-bounds.ts'

/** Our clock minus the other lies between these. */
export interface ClockSkew {
  readonly lowMs: number
  readonly highMs: number
}

interface Answer {
  readonly sentAtMs: number
  readonly receivedAtMs: number
  /** The `Date` header: the other clock stood somewhere in the second that begins here. */
  readonly dateMs: number
}

/** An answer that contradicts the earlier ones says that one of the clocks was set: it wins. */
export function narrowSkew(known: ClockSkew | undefined, answer: Answer): ClockSkew {
  const lowMs = answer.sentAtMs - (answer.dateMs + 1_000)
  const highMs = answer.receivedAtMs - answer.dateMs
  if (!known) return { lowMs, highMs }
  const both = { lowMs: Math.max(known.lowMs, lowMs), highMs: Math.min(known.highMs, highMs) }
  return both.lowMs <= both.highMs ? both : { lowMs, highMs }
}

/** The least difference that explains the answers, for a caller that needs proof of a skew. */
export function leastSkewMs(skew: ClockSkew | undefined): number {
  if (!skew) return 0
  if (skew.lowMs > 0) return skew.lowMs
  return Math.min(skew.highMs, 0)
}

/** The likeliest difference; 0 while the clocks may agree, so that displayed times do not jump. */
export function likelySkewMs(skew: ClockSkew | undefined): number {
  if (leastSkewMs(skew) === 0 || !skew) return 0
  return Math.round((skew.lowMs + skew.highMs) / 2)
}

/** Our clock, corrected by the other where it is too far off. */
export function correctedNowMs(clock: () => number, skewMs: () => number): number {
  const offMs = skewMs()
  return Math.abs(offMs) > MAX_CLOCK_SKEW_MS ? clock() - offMs : clock()
}
