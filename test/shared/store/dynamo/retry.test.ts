import { describe, expect, it } from 'vitest'
import { serviceFaultOf } from '../../../../shared/kube/status-error.ts'
import { faultOf, retry, retryWrite } from '../../../../shared/store/dynamo/retry.ts'

const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more })
const cancelled = (...codes: string[]) =>
  named('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) })

describe('what went wrong', () => {
  it.each([
    { error: named('ProvisionedThroughputExceededException'), fault: 'throttled' },
    { error: named('ThrottlingException'), fault: 'throttled' },
    { error: named('RequestLimitExceeded'), fault: 'throttled' },
    { error: named('TransactionConflictException'), fault: 'conflict' },
    { error: named('TransactionInProgressException'), fault: 'conflict' },
    { error: named('InternalServerError'), fault: 'unclear' },
    { error: named('Unknown', { $metadata: { httpStatusCode: 503 } }), fault: 'unclear' },
    { error: named('TimeoutError'), fault: 'unclear' },
    { error: named('AbortError'), fault: 'unclear' },
    { error: named('Error', { code: 'ECONNRESET' }), fault: 'unclear' },
    { error: named('Error', { code: 'ECONNREFUSED' }), fault: 'unreached' },
    { error: named('Error', { code: 'ENOTFOUND' }), fault: 'unreached' },
    { error: named('ConditionalCheckFailedException'), fault: undefined },
    {
      error: named('ValidationException', { $metadata: { httpStatusCode: 400 } }),
      fault: undefined,
    },
    { error: cancelled('None', 'TransactionConflict'), fault: 'conflict' },
    { error: cancelled('ThrottlingError', 'TransactionConflict'), fault: 'throttled' },
    { error: cancelled('TransactionConflict', 'ConditionalCheckFailed'), fault: undefined },
    { error: cancelled('ValidationError'), fault: undefined },
  ])('$error.name: $fault', ({ error, fault }) => {
    expect(faultOf(error)).toBe(fault)
  })
})

describe('who is to blame', () => {
  const answered = (name: string) => named(name, { $metadata: { httpStatusCode: 400 } })
  it.each([
    { when: 'throttled', error: answered('ThrottlingException'), fault: 'throttled', code: 429 },
    {
      when: 'out of reach',
      error: named('E', { code: 'ECONNREFUSED' }),
      fault: 'unreached',
      code: 503,
    },
    { when: 'not answering', error: named('TimeoutError'), fault: 'unreached', code: 503 },
    { when: 'closed to us', error: answered('AccessDeniedException'), fault: 'denied' },
    { when: 'without its table', error: answered('ResourceNotFoundException'), fault: 'denied' },
    {
      when: 'met by many writes of one item',
      error: answered('TransactionConflictException'),
      code: 429,
    },
    { when: 'asked for too large an item', error: answered('ValidationException') },
    { when: 'asked for too large a transaction', error: cancelled('ValidationError') },
    { when: 'called by code that is wrong', error: new TypeError('x is undefined') },
  ])('a database that is $when: $fault', async ({ error, fault, code }) => {
    const refusal = retry(world().retryPolicy, () => Promise.reject(error))
    const refused = await refusal.catch((thrown: unknown) => thrown)
    expect(serviceFaultOf(refused)).toBe(fault)
    expect((refused as { code?: unknown }).code).toBe(code ?? (error as { code?: unknown }).code)
  })

  it.each([
    { when: 'may have been applied', error: named('TimeoutError'), fault: 'unclear' },
    { when: 'was throttled', error: answered('ThrottlingException'), fault: 'throttled' },
    { when: 'met too many others', error: answered('TransactionConflictException') },
  ])('a write that $when: $fault', async ({ error, fault }) => {
    const refusal = retryWrite(world().retryPolicy, () => Promise.reject(error))
    expect(serviceFaultOf(await refusal.catch((thrown: unknown) => thrown))).toBe(fault)
  })
})

describe('trying again', () => {
  it('ends with success', async () => {
    const { retryPolicy, waits } = world()
    const faults = [named('ThrottlingException'), named('TimeoutError')]
    const result = await retry(retryPolicy, async () => {
      const fault = faults.shift()
      if (fault) throw fault
      return 'done'
    })
    expect(result).toBe('done')
    expect(waits.length).toBe(2)
  })

  it('does not repeat what was refused', async () => {
    const { retryPolicy, waits } = world()
    const error = named('ConditionalCheckFailedException')
    await expect(retry(retryPolicy, () => Promise.reject(error))).rejects.toBe(error)
    expect(waits).toEqual([])
  })

  it('spends no more than its budget, the last attempt included', async () => {
    const { retryPolicy, clock } = world({ attemptMs: 1_900 })
    const cause = named('TimeoutError')
    const startMs = clock()
    const failing = retry(retryPolicy, () => retryPolicy.attempt(cause))
    await expect(failing).rejects.toMatchObject({ code: 503, cause })
    expect(clock() - startMs).toBeLessThanOrEqual(retryPolicy.budgetMs)
  })

  it('ends even if the clock stands still', async () => {
    const { retryPolicy } = world({ frozen: true })
    const failing = retry(retryPolicy, () => Promise.reject(named('ThrottlingException')))
    await expect(failing).rejects.toMatchObject({ code: 429 })
  })

  it('gives a conflict five more tries of 10 to 80 ms', async () => {
    const { retryPolicy, waits } = world()
    const conflict = named('TransactionConflictException')
    await expect(retry(retryPolicy, () => Promise.reject(conflict))).rejects.toMatchObject({
      code: 429,
      body: { details: { retryAfterSeconds: 1 } },
    })
    expect(waits.length).toBe(5)
    expect(waits.every((ms) => ms >= 10 && ms <= 80)).toBe(true)
  })
})

describe('trying a write again', () => {
  const refused = named('Error', { code: 'ECONNREFUSED' })
  const throttled = named('ThrottlingException')
  const lost = named('TimeoutError')
  const invalid = named('ValidationException')

  it.each([
    { when: 'the database was never reached', errors: [refused], code: 503 },
    { when: 'it was always throttled', errors: [throttled], code: 429 },
    { when: 'every answer was lost', errors: [lost], code: 504 },
    { when: 'one answer was lost and the rest throttled', errors: [lost, throttled], code: 504 },
    { when: 'one answer was lost and the repeat is refused', errors: [lost, invalid], code: 504 },
  ])('$when: $code', async ({ errors, code }) => {
    const { retryPolicy } = world()
    const left = [...errors]
    const failing = retryWrite(retryPolicy, () => {
      const error = left.length > 1 ? left.shift()! : left[0]!
      return Promise.reject(error)
    })
    await expect(failing).rejects.toMatchObject({ code, cause: errors.at(-1) })
  })

  it('tells each attempt whether one before it may have been applied', async () => {
    const { retryPolicy } = world()
    const faults = [throttled, refused, lost, throttled]
    const told: boolean[] = []
    await retryWrite(retryPolicy, async (mayBeApplied) => {
      told.push(mayBeApplied)
      const fault = faults.shift()
      if (fault) throw fault
    })
    expect(told).toEqual([false, false, false, true, true])
  })
})

function world({ attemptMs = 0, frozen = false } = {}) {
  let nowMs = 0
  let seed = 1
  const waits: number[] = []
  const clock = () => nowMs
  const pass = (ms: number) => {
    if (!frozen) nowMs += ms
  }
  const retryPolicy = {
    clock,
    random: () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    },
    sleep: async (ms: number) => {
      waits.push(ms)
      pass(ms)
    },
    budgetMs: 6_000,
    attempt: (error: Error) => {
      pass(attemptMs)
      return Promise.reject(error)
    },
  }
  return { retryPolicy, clock, waits }
}
