/** What is worth another try, how long to wait, and when to give up and tell the client so. */
import { tooManyRequests, unavailable } from '../../kube/status-error.ts'

/** `throttled` and `conflict` did not happen; `unclear` may have. */
export type Fault = 'throttled' | 'conflict' | 'unclear'

export interface Patience {
  readonly clock: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly random: () => number
  /** All attempts of one call together. */
  readonly budgetMs: number
  /** Who did not answer, for the message. Default: the database. */
  readonly whom?: string
}

export const defaultBudgetMs = 6_000
/** A stamp may be this old when its write lands; watches allow for it. */
export const attemptMs = 2_000

/** Clocks can stand still or jump, so the tries are counted as well. */
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
const breaks = new Set([
  'TimeoutError',
  'AbortError',
  'InternalServerError',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
])

interface AwsError {
  readonly name?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
  readonly CancellationReasons?: readonly { readonly Code?: string }[]
}

export function faultOf(error: unknown): Fault | undefined {
  const { name = '', code = '', $metadata, CancellationReasons } = error as AwsError
  if (name === 'TransactionCanceledException') return cancelledBy(CancellationReasons ?? [])
  if (throttles.has(name)) return 'throttled'
  if (conflicts.has(name)) return 'conflict'
  const broken = breaks.has(name) || breaks.has(code) || ($metadata?.httpStatusCode ?? 0) >= 500
  return broken ? 'unclear' : undefined
}

/** A belief that was wrong is an answer, whatever else went wrong beside it. */
function cancelledBy(reasons: readonly { readonly Code?: string }[]): Fault | undefined {
  const codes = reasons.map(({ Code = '' }) => Code)
  if (codes.includes('ConditionalCheckFailed')) return undefined
  if (codes.some((code) => throttles.has(code))) return 'throttled'
  return codes.some((code) => conflicts.has(code)) ? 'conflict' : undefined
}

/** Tries until it works, is refused, or the budget is spent. */
export async function persist<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const { clock, sleep } = patience
  const startMs = clock()
  const met = { throttled: 0, conflict: 0, unclear: 0 }
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const fault = faultOf(error)
      if (!fault) throw error
      met[fault] += 1
      const waitMs = waitBefore(fault, tries, patience.random())
      const spentMs = clock() - startMs + waitMs + attemptMs
      const enough = tries >= maxAttempts || met.conflict > maxConflicts
      if (enough || spentMs > patience.budgetMs) throw givenUp(patience, fault, error)
      await sleep(waitMs)
    }
  }
}

function waitBefore(fault: Fault, tries: number, random: number): number {
  if (fault === 'conflict') return 10 + random * 70
  return random * Math.min(firstWaitMs * 2 ** tries, longestWaitMs)
}

function givenUp({ whom = 'the database' }: Patience, fault: Fault, cause: unknown): Error {
  const error =
    fault === 'unclear'
      ? unavailable(`${whom} does not answer, please try again`, retryAfterSeconds)
      : tooManyRequests(`${whom} is too busy, please try again`, retryAfterSeconds)
  return Object.assign(error, { cause })
}
