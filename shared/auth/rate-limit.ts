/**
 * Is this caller sending too many requests? A token bucket per identity and level, in this process's
 * memory: no write per beat. A caller whose requests reach N processes has N buckets; reserved
 * concurrency bounds N. Renewals are a level of their own: whatever else a host sends, it is not
 * that for which it falls silent.
 */

import { lru } from './caches.ts'
import type { Identity } from './identity.ts'
import { groupNames, inAnyGroup, nodeNameOf } from './subject.ts'

interface Limit {
  readonly perSecond: number
  readonly burst: number
}

/** Requests a second of one identity, by level. */
export interface RequestRates {
  readonly beatsPerSecond: number
  readonly nodeRequestsPerSecond: number
  readonly operatorRequestsPerSecond: number
  readonly userRequestsPerSecond: number
}

export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

type TakeResult =
  | { readonly kind: 'taken'; readonly bucket: Bucket }
  | { readonly kind: 'wait'; readonly retryAfterSeconds: number }

/** What was saved up in this time may come at once: kubectl begins with a burst. */
const BURST_SECONDS = 10
const REMEMBERED_IDENTITIES = 16_384

export const limitAt = (perSecond: number): Limit => ({
  perSecond,
  burst: Math.max(1, perSecond * BURST_SECONDS),
})

export function take(bucket: Bucket | undefined, limit: Limit, nowMs: number): TakeResult {
  const { tokens, atMs } = bucket ?? { tokens: limit.burst, atMs: nowMs }
  // When the clock goes back, the bucket neither gains nor loses tokens.
  const elapsedSeconds = Math.max(0, nowMs - atMs) / 1000
  const filled = Math.min(limit.burst, tokens + elapsedSeconds * limit.perSecond)
  if (filled >= 1) return { kind: 'taken', bucket: { tokens: filled - 1, atMs: nowMs } }
  return { kind: 'wait', retryAfterSeconds: Math.ceil((1 - filled) / limit.perSecond) }
}

/** Seconds the caller must wait; undefined when it may go on. */
export type RateLimiter = (
  identity: Identity,
  nowMs: number,
  level: 'beat' | 'request',
) => number | undefined

export function createRateLimiter(
  rates: RequestRates,
  remembered = REMEMBERED_IDENTITIES,
): RateLimiter {
  const limits = {
    beat: limitAt(rates.beatsPerSecond),
    node: limitAt(rates.nodeRequestsPerSecond),
    operator: limitAt(rates.operatorRequestsPerSecond),
    user: limitAt(rates.userRequestsPerSecond),
  }
  const limitOf = (identity: Identity): Limit => {
    if (nodeNameOf(identity) !== undefined) return limits.node
    const isOperator = inAnyGroup(identity, groupNames.masters, groupNames.operators)
    return isOperator ? limits.operator : limits.user
  }
  const buckets = { beat: lru<Bucket>(remembered), request: lru<Bucket>(remembered) }
  return (identity, nowMs, level) => {
    const limit = level === 'beat' ? limits.beat : limitOf(identity)
    const taken = take(buckets[level].get(identity.user), limit, nowMs)
    if (taken.kind === 'wait') return taken.retryAfterSeconds
    buckets[level].set(identity.user, taken.bucket)
    return undefined
  }
}
