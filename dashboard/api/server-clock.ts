/**
 * What time is it where the deadlines are counted? The server stamps its answers to the second;
 * each one says between which two values the difference of the clocks lies, and together they say
 * it closely.
 */

/** The server's clock minus ours lies between these. */
export interface Skew {
  readonly leastMs: number
  readonly mostMs: number
}

export interface Stamped {
  readonly sentAtMs: number
  readonly receivedAtMs: number
  /** The `Date` of the answer: the second in which it was made, its fraction cut off. */
  readonly dateMs: number
}

export function narrow(skew: Skew | undefined, { sentAtMs, receivedAtMs, dateMs }: Stamped): Skew {
  const seen = { leastMs: dateMs - receivedAtMs, mostMs: dateMs + 1000 - sentAtMs }
  if (!skew) return seen
  const both = {
    leastMs: Math.max(skew.leastMs, seen.leastMs),
    mostMs: Math.min(skew.mostMs, seen.mostMs),
  }
  // They exclude each other when one of the clocks was set: only the newer sample still counts.
  return both.leastMs <= both.mostMs ? both : seen
}

/** Clocks that may well agree are taken to agree, so that times do not dance. */
export function skewMs(skew: Skew | undefined): number {
  if (!skew || (skew.leastMs <= 0 && skew.mostMs >= 0)) return 0
  return Math.round((skew.leastMs + skew.mostMs) / 2)
}
