/** Which failed calls are retried, after what wait, and when the client gets an error instead. */
import {
  throttled,
  tooManyRequests,
  unavailable,
  withFault,
  writeTimeout,
} from '../../kube/status-error.ts'
import { WRITE_ATTEMPT_MS } from '../../lifecycle/clock-bounds.ts'

/**
 * A call that was `throttled`, met a `conflict` or never reached the database wrote nothing; an
 * `unclear` one may have, and may still.
 */
type Fault = 'throttled' | 'conflict' | 'unreached' | 'unclear'

export interface RetryPolicy {
  readonly clock: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly random: () => number
  /** All attempts of one call together. */
  readonly budgetMs: number
  /** Named in the message when retries are used up. Default: the database. */
  readonly service?: string
}

export const defaultBudgetMs = 6_000

/** The clock can stand still or jump, so attempts are counted as well. */
const maxAttempts = 12
const maxConflicts = 5
const firstWaitMs = 50
const longestWaitMs = 1_000
const retryAfterSeconds = 1

const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
])
const conflicts = new Set([
  'TransactionConflictException',
  'TransactionInProgressException',
  'TransactionConflict',
])
const connectionFaults = new Set([
  'TimeoutError',
  'AbortError',
  'InternalServerError',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])
/** No connection was made, so nothing was sent. */
const unreachable = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

interface AwsError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly CancellationReasons?: readonly { readonly Code?: string }[]
}

export function faultOf(error: unknown): Fault | undefined {
  const { name = '', code = '', $metadata, CancellationReasons } = error as AwsError
  if (name === 'TransactionCanceledException') return faultOfCancellation(CancellationReasons ?? [])
  if (throttles.has(name)) return 'throttled'
  if (conflicts.has(name)) return 'conflict'
  if (unreachable.has(code)) return 'unreached'
  const isServerError = ($metadata?.httpStatusCode ?? 0) >= 500
  const isUnclear = isServerError || connectionFaults.has(name) || connectionFaults.has(code)
  return isUnclear ? 'unclear' : undefined
}

/** A failed condition is an answer and not a fault, whatever else failed in the transaction. */
function faultOfCancellation(reasons: readonly { readonly Code?: string }[]): Fault | undefined {
  const codes = reasons.map(({ Code = '' }) => Code)
  if (codes.includes('ConditionalCheckFailed')) return undefined
  if (codes.some((code) => throttles.has(code))) return 'throttled'
  return codes.some((code) => conflicts.has(code)) ? 'conflict' : undefined
}

/** Calls `attempt` until it succeeds, fails for good, or the budget is spent. For reads. */
export async function retry<T>(policy: RetryPolicy, attempt: () => Promise<T>): Promise<T> {
  const attempts = attemptCounter(policy)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      const fault = faultOf(error)
      if (!fault) throw withCause(error)
      if (!(await attempts.pauseAfter(fault))) throw exhausted(policy, fault, error)
    }
  }
}

/**
 * The same for writes. `attempt` is told whether an earlier one went unanswered and so may have been
 * applied. From then on no error can say that nothing was written: all are a 504.
 */
export async function retryWrite<T>(
  policy: RetryPolicy,
  attempt: (mayBeApplied: boolean) => Promise<T>,
): Promise<T> {
  const attempts = attemptCounter(policy)
  let mayBeApplied = false
  for (;;) {
    try {
      return await attempt(mayBeApplied)
    } catch (error) {
      const fault = faultOf(error)
      mayBeApplied ||= fault === 'unclear'
      if (fault && (await attempts.pauseAfter(fault))) continue
      if (mayBeApplied) throw Object.assign(writeTimeout(), { cause: error })
      throw fault ? exhausted(policy, fault, error) : withCause(error)
    }
  }
}

/** `pauseAfter` waits before the next attempt; false when there is none. */
function attemptCounter({ clock, sleep, random, budgetMs }: RetryPolicy) {
  const startMs = clock()
  let tries = 0
  let conflictCount = 0
  return {
    async pauseAfter(fault: Fault): Promise<boolean> {
      tries += 1
      if (fault === 'conflict') conflictCount += 1
      const waitMs = waitBefore(fault, tries, random())
      const spentMs = clock() - startMs + waitMs + WRITE_ATTEMPT_MS
      const isExhausted = tries >= maxAttempts || conflictCount > maxConflicts
      if (isExhausted || spentMs > budgetMs) return false
      await sleep(waitMs)
      return true
    },
  }
}

function waitBefore(fault: Fault, tries: number, random: number): number {
  if (fault === 'conflict') return 10 + random * 70
  return random * Math.min(firstWaitMs * 2 ** tries, longestWaitMs)
}

function exhausted({ service = 'the database' }: RetryPolicy, fault: Fault, cause: unknown): Error {
  const busy = `${service} is too busy, please try again`
  const silent = `${service} does not answer, please try again`
  const error = {
    throttled: () => throttled(busy, retryAfterSeconds),
    // Many writes of one item at once: the doing of those who send them.
    conflict: () => tooManyRequests(busy, retryAfterSeconds),
    unreached: () => unavailable(silent, retryAfterSeconds),
    unclear: () => unavailable(silent, retryAfterSeconds),
  }[fault]()
  return Object.assign(error, { cause })
}

/** Answers about what was sent (its size, its conditions), which is for the caller to mend. */
const answersToCaller = new Set([
  'ValidationException',
  'ConditionalCheckFailedException',
  'TransactionCanceledException',
  'IdempotentParameterMismatchException',
  'ItemCollectionSizeLimitExceededException',
])

/** Whatever else AWS refuses (rights, a missing table, a lost key) is between it and us. */
function withCause(error: unknown): unknown {
  const { name = '', $metadata } = error as AwsError
  const isOurs = error instanceof Error && $metadata !== undefined && !answersToCaller.has(name)
  return isOurs ? withFault(error, 'denied') : error
}

/**
 * The id of one write. What an attempt writes bears it with the attempt's number, so that the next
 * attempt recognises what one before it has done.
 */
export function newRequestId({ random }: RetryPolicy): string {
  const part = (bits: number) => Math.floor(random() * 2 ** bits).toString(36)
  return `${part(48)}${part(36)}`
}

export const attemptId = (requestId: string, attempt: number) => `${requestId}.${attempt}`

/** The number of the attempt that an id belongs to; undefined for one of another request. */
export function attemptOf(requestId: string, id: string | undefined): number | undefined {
  const isOurs = id?.startsWith(`${requestId}.`)
  return isOurs ? Number(id!.slice(requestId.length + 1)) : undefined
}

export const isConditionFailed = (error: unknown): boolean =>
  (error as { readonly name?: string }).name === 'ConditionalCheckFailedException'
