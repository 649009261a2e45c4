/**
 * Who leads? client-go's leader election as decisions: each attempt is a coroutine that yields a
 * request, is given the answer with the time it came, and returns what the candidate now believes.
 * `elector-runner.ts` runs it.
 *
 * Only the local clock counts. A candidate remembers what it saw and when it first saw it; times
 * inside the record come from other clocks and are never compared with its own.
 */

import type { Lease } from '../../shared/kube/objects.ts'
import {
  changedLease,
  isSameRecord,
  type LeaderRecord,
  type Lock,
  newLease,
  recordOf,
} from './leader-record.ts'

export const JITTER_FACTOR = 1.2

export interface ElectorConfig {
  readonly identity: string
  readonly lock: Lock
  readonly leaseDurationMs: number
  readonly renewDeadlineMs: number
  readonly retryPeriodMs: number
}

export const DEFAULT_TIMING = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
}

export interface Callbacks {
  /** With the fencing token, if the server keeps one; `signal` fires when leading ends. */
  startedLeading(transitions: number, signal: AbortSignal): void
  /** On every exit, also without having led. */
  stoppedLeading(): void
  /** Each change of the observed holder, also to "" after a release. */
  newLeader?(identity: string): void
}

/** What is wrong with a configuration, or nothing. */
export function refuse(
  config: Partial<ElectorConfig>,
  callbacks: Partial<Callbacks>,
): string | undefined {
  if (!callbacks.startedLeading || !callbacks.stoppedLeading) {
    return 'startedLeading and stoppedLeading are required'
  }
  const { identity, lock, leaseDurationMs = 0, renewDeadlineMs = 0, retryPeriodMs = 0 } = config
  if (!lock) return 'a lock is required'
  if (!identity) return 'identity must not be empty'
  if (leaseDurationMs <= renewDeadlineMs) return 'leaseDuration must be longer than renewDeadline'
  if (renewDeadlineMs <= retryPeriodMs * JITTER_FACTOR) {
    return `renewDeadline must be longer than ${JITTER_FACTOR} times retryPeriod`
  }
  const shortest = Math.min(leaseDurationMs, renewDeadlineMs, retryPeriodMs)
  // The wire counts whole seconds, and a duration of 0 is refused there.
  if (leaseDurationMs < 1_000) return 'leaseDuration must be at least a second'
  return shortest > 0 ? undefined : 'durations must be positive'
}

export type Request =
  | { readonly kind: 'get' }
  | { readonly kind: 'create' | 'update'; readonly lease: Lease }

export type Reply = { readonly atMs: number } & (
  | { readonly kind: 'lease'; readonly lease: Lease }
  | { readonly kind: 'notFound' | 'conflict' | 'error' }
)

/**
 * Steady time measures, wall time is written down: a clock that is set must not end or stretch a
 * term.
 */
export interface Now {
  readonly steadyMs: number
  readonly wallMs: number
}

/** What a candidate has seen; times are steady. */
export interface Belief {
  readonly lease?: Lease
  readonly record?: LeaderRecord
  readonly firstSeenMs?: number
}

export interface Attempted {
  readonly succeeded: boolean
  readonly belief: Belief
}

type Attempt<T> = Generator<Request, T, Reply>

export const leaderIn = (belief: Belief): string | undefined => belief.record?.holderIdentity

export const isLeading = (belief: Belief, identity: string): boolean =>
  leaderIn(belief) === identity

/** By the duration in the record. At equality it has run out. */
export const isValid = ({ record, firstSeenMs }: Belief, nowMs: number): boolean =>
  record !== undefined &&
  firstSeenMs !== undefined &&
  firstSeenMs + record.leaseDurationSeconds * 1_000 > nowMs

export function* attempt(start: Belief, config: ElectorConfig, now: Now): Attempt<Attempted> {
  const fresh = ownRecord(config, now)
  let belief = start
  let kept = fresh
  if (belief.record && isLeading(belief, config.identity) && isValid(belief, now.steadyMs)) {
    // The holder in force writes without looking first.
    kept = keeping(fresh, belief.record)
    const reply = yield { kind: 'update', lease: changedLease(config.lock, belief.lease, kept) }
    if (reply.kind === 'lease') return won(reply.lease, now)
  }
  const found = yield { kind: 'get' }
  if (found.kind === 'notFound') {
    const reply = yield { kind: 'create', lease: newLease(config.lock, kept) }
    return reply.kind === 'lease' ? won(reply.lease, now) : { succeeded: false, belief }
  }
  if (found.kind !== 'lease') return { succeeded: false, belief }

  belief = seen(belief, found.lease, found.atMs)
  const stored = recordOf(found.lease.spec)
  const isOurs = stored.holderIdentity === config.identity
  if (stored.holderIdentity !== '' && !isOurs && isValid(belief, now.steadyMs)) {
    return { succeeded: false, belief }
  }
  const record = isOurs
    ? keeping(fresh, stored)
    : { ...fresh, leaderTransitions: stored.leaderTransitions + 1 }
  return yield* update(record, belief, config, now)
}

function* update(
  record: LeaderRecord,
  belief: Belief,
  { lock }: ElectorConfig,
  now: Now,
): Attempt<Attempted> {
  const reply = yield { kind: 'update', lease: changedLease(lock, belief.lease, record) }
  return reply.kind === 'lease' ? won(reply.lease, now) : { succeeded: false, belief }
}

function ownRecord({ identity, leaseDurationMs }: ElectorConfig, now: Now): LeaderRecord {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.floor(leaseDurationMs / 1_000),
    acquireTimeMs: now.wallMs,
    renewTimeMs: now.wallMs,
    leaderTransitions: 0,
    strategy: '',
    preferredHolder: '',
  }
}

const keeping = (fresh: LeaderRecord, old: LeaderRecord): LeaderRecord => ({
  ...fresh,
  acquireTimeMs: old.acquireTimeMs,
  leaderTransitions: old.leaderTransitions,
})

/** Counted from before the request was sent: the server cannot have stamped it earlier. */
const won = (lease: Lease, sent: Now): Attempted => ({
  succeeded: true,
  belief: { lease, record: recordOf(lease.spec), firstSeenMs: sent.steadyMs },
})

/** Any change counts as a renewal, even one backwards; counted from when it was seen. */
function seen(belief: Belief, lease: Lease, atMs: number): Belief {
  const record = recordOf(lease.spec)
  if (belief.record && isSameRecord(belief.record, record)) return { ...belief, lease }
  return { lease, record, firstSeenMs: atMs }
}

export interface Released {
  readonly released: boolean
  readonly belief: Belief
}

/**
 * Empties the holder. The record just read decides whether it is ours; client-go asks what it
 * remembered, and so a leader that lost the lease without noticing can blank its successor's.
 */
export function* release(
  belief: Belief,
  config: ElectorConfig,
  now: Now,
): Attempt<Released & { readonly retry?: true }> {
  const found = yield { kind: 'get' }
  if (found.kind !== 'lease') return { released: false, belief }
  const stored = recordOf(found.lease.spec)
  if (stored.holderIdentity !== config.identity || !isLeading(belief, config.identity)) {
    return { released: true, belief: seen(belief, found.lease, found.atMs) }
  }
  const record: LeaderRecord = {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTimeMs: now.wallMs,
    renewTimeMs: now.wallMs,
    leaderTransitions: stored.leaderTransitions,
    strategy: '',
    preferredHolder: '',
  }
  const reply = yield { kind: 'update', lease: changedLease(config.lock, found.lease, record) }
  if (reply.kind === 'lease') return { released: true, belief: won(reply.lease, now).belief }
  return { released: false, belief, ...(reply.kind === 'conflict' && { retry: true }) }
}

/** The variant where a coordinator decides who leads: never creates, never takes over. */
export function* coordinatedAttempt(
  start: Belief,
  config: ElectorConfig,
  now: Now,
): Attempt<Attempted> {
  const found = yield { kind: 'get' }
  if (found.kind !== 'lease') return { succeeded: false, belief: start }
  const belief = seen(start, found.lease, found.atMs)
  const stored = recordOf(found.lease.spec)
  const ranOut =
    (belief.firstSeenMs ?? found.atMs) + stored.leaseDurationSeconds * 1_000 < now.steadyMs
  if (ranOut || stored.holderIdentity !== config.identity || stored.preferredHolder !== '') {
    return { succeeded: false, belief }
  }
  const kept = { ...keeping(ownRecord(config, now), stored), strategy: stored.strategy }
  return yield* update(kept, belief, config, now)
}

/** Retry period and up to 1.2 times it again, after the attempt. */
export const acquireWaitMs = (retryPeriodMs: number, random: number): number =>
  retryPeriodMs * (1 + JITTER_FACTOR * random)

/** A request must leave time for a second one before the deadline. */
export const lockTimeoutMs = (renewDeadlineMs: number): number =>
  Math.max(1_000, renewDeadlineMs / 2)

/** For a health check: leading, and yet nothing was seen for longer than the lease and some. */
export function isHealthy(
  belief: Belief,
  config: Pick<ElectorConfig, 'identity' | 'leaseDurationMs'>,
  toleranceMs: number,
  nowMs: number,
): boolean {
  if (!isLeading(belief, config.identity)) return true
  return nowMs - (belief.firstSeenMs ?? nowMs) <= config.leaseDurationMs + toleranceMs
}
