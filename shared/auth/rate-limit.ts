/**
 * Is this caller asking too often? One token bucket per identity, in this process's memory only: no
 * write per beat. A caller spread over N processes can thus ask N times as often; reserved
 * concurrency bounds N.
 */
import type { Identity } from './identity.ts'
import { lru } from './lru.ts'
import { nodeNameOf } from './subject.ts'

export interface Limit {
  readonly perSecond: number
  readonly burst: number
}

export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

export type Taken =
  | { readonly kind: 'taken'; readonly bucket: Bucket }
  | { readonly kind: 'wait'; readonly retryAfterSeconds: number }

/**
 * Ten renewals in one tick is the most a kubelet sends when all goes wrong; a quiet host needs 0.1
 * a second.
 */
export const nodeLimit: Limit = { perSecond: 5, burst: 50 }
/** What kubectl allows itself. */
export const peopleLimit: Limit = { perSecond: 50, burst: 300 }
const REMEMBERED_IDENTITIES = 16_384

export const limitOf = (identity: Identity) =>
  nodeNameOf(identity) === undefined ? peopleLimit : nodeLimit

export function take(bucket: Bucket | undefined, limit: Limit, nowMs: number): Taken {
  const { tokens, atMs } = bucket ?? { tokens: limit.burst, atMs: nowMs }
  // A clock that goes back gives nothing and takes nothing.
  const elapsedSeconds = Math.max(0, nowMs - atMs) / 1000
  const filled = Math.min(limit.burst, tokens + elapsedSeconds * limit.perSecond)
  if (filled >= 1) return { kind: 'taken', bucket: { tokens: filled - 1, atMs: nowMs } }
  return { kind: 'wait', retryAfterSeconds: Math.ceil((1 - filled) / limit.perSecond) }
}

/** Seconds the caller must wait; undefined when it may go on. */
export type RateLimiter = (identity: Identity, nowMs: number) => number | undefined

export function createRateLimiter(remembered = REMEMBERED_IDENTITIES): RateLimiter {
  const buckets = lru<Bucket>(remembered)
  return (identity, nowMs) => {
    const taken = take(buckets.get(identity.user), limitOf(identity), nowMs)
    if (taken.kind === 'wait') return taken.retryAfterSeconds
    buckets.set(identity.user, taken.bucket)
    return undefined
  }
}
