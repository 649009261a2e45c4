/**
 * A token bucket of one token as plain data: it is stored, so it outlives the monitor that spends
 * from it.
 */

export interface Limiter {
  /** Tokens a second; 0 when stopped. */
  readonly rate: number
  /** At `refilledAtMs`, never more than one. */
  readonly tokens: number
  readonly refilledAtMs: number
  readonly stopped: boolean
}

const CAPACITY = 1
/**
 * Sums of fractions of a token end a hair below the whole; a millionth is a tenth of a millisecond
 * a token.
 */
const WHOLE = 1 - 1e-6

export function fullLimiter(rate: number, nowMs: number): Limiter {
  return rate > 0 ? bucket(rate, CAPACITY, nowMs) : stoppedLimiter(nowMs)
}

export function stoppedLimiter(nowMs: number): Limiter {
  return { rate: 0, tokens: 0, refilledAtMs: nowMs, stopped: true }
}

/**
 * When can the next token be spent by someone who wants it from `wantedAtMs` on? Infinity when
 * stopped.
 */
export function nextGrantMs(limiter: Limiter, wantedAtMs: number): number {
  if (limiter.stopped) return Number.POSITIVE_INFINITY
  const missing = CAPACITY - limiter.tokens
  return Math.max(wantedAtMs, limiter.refilledAtMs + (missing / limiter.rate) * 1000)
}

/**
 * Spends the token that `nextGrantMs` found. Time never runs backwards in a bucket: nothing is
 * minted twice.
 */
export function spend(limiter: Limiter, atMs: number): Limiter {
  const tokens = tokensAt(limiter, atMs)
  return bucket(limiter.rate, Math.max(0, tokens - 1), Math.max(atMs, limiter.refilledAtMs))
}

/**
 * The same rate keeps its bucket. Another one starts full only if a token was there to be had, so
 * that a zone that changes its state often is not given a token each time.
 */
export function changeRate(limiter: Limiter, rate: number, nowMs: number): Limiter {
  if (rate <= 0) return limiter.stopped ? limiter : stoppedLimiter(nowMs)
  if (!limiter.stopped && limiter.rate === rate) return limiter
  const tokens = canGrant(limiter, nowMs) ? CAPACITY : 0
  return bucket(rate, tokens, Math.max(nowMs, limiter.refilledAtMs))
}

export function canGrant(limiter: Limiter, nowMs: number): boolean {
  return !limiter.stopped && tokensAt(limiter, nowMs) >= WHOLE
}

export function tokensAt(limiter: Limiter, atMs: number): number {
  const elapsedMs = Math.max(0, atMs - limiter.refilledAtMs)
  return Math.min(CAPACITY, limiter.tokens + (limiter.rate * elapsedMs) / 1000)
}

function bucket(rate: number, tokens: number, refilledAtMs: number): Limiter {
  return { rate, tokens, refilledAtMs, stopped: false }
}
