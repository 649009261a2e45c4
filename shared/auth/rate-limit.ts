/**
 * Is this caller sending too many requests? One token bucket per identity, in this process's memory:
 * no write per beat. A caller whose requests reach N processes has N buckets; reserved concurrency
 * bounds N.
 */

import { lru } from './caches.ts'
import type { Identity } from './identity.ts'
import { nodeNameOf } from './subject.ts'

interface Limit {
  readonly perSecond: number
  readonly burst: number
}

export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

type TakeResult =
  | { readonly kind: 'taken'; readonly bucket: Bucket }
  | { readonly kind: 'wait'; readonly retryAfterSeconds: number }

/** A kubelet whose renewals fail sends ten in a row at most; a healthy one sends 0.1 a second. */
export const nodeLimit: Limit = { perSecond: 5, burst: 50 }
/** What kubectl allows itself. */
export const userLimit: Limit = { perSecond: 50, burst: 300 }
const REMEMBERED_IDENTITIES = 16_384

const limitOf = (identity: Identity) => (nodeNameOf(identity) === undefined ? userLimit : nodeLimit)

export function take(bucket: Bucket | undefined, limit: Limit, nowMs: number): TakeResult {
  const { tokens, atMs } = bucket ?? { tokens: limit.burst, atMs: nowMs }
  // When the clock goes back, the bucket neither gains nor loses tokens.
  const elapsedSeconds = Math.max(0, nowMs - atMs) / 1000
  const filled = Math.min(limit.burst, tokens + elapsedSeconds * limit.perSecond)
  if (filled >= 1) return { kind: 'taken', bucket: { tokens: filled - 1, atMs: nowMs } }
  return { kind: 'wait', retryAfterSeconds: Math.ceil((1 - filled) / limit.perSecond) }
}

/** Seconds the caller must wait; undefined when it may go on. */
type RateLimiter = (identity: Identity, nowMs: number) => number | undefined

export function createRateLimiter(remembered = REMEMBERED_IDENTITIES): RateLimiter {
  const buckets = lru<Bucket>(remembered)
  return (identity, nowMs) => {
    const taken = take(buckets.get(identity.user), limitOf(identity), nowMs)
    if (taken.kind === 'wait') return taken.retryAfterSeconds
    buckets.set(identity.user, taken.bucket)
    return undefined
  }
}
