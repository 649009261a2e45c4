import { describe, expect, it } from 'vitest'
import { faultOf, persist } from '../../../../shared/store/dynamo/persistence.ts'

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

describe('trying again', () => {
  it('ends with success', async () => {
    const { patience, waits } = world()
    const faults = [named('ThrottlingException'), named('TimeoutError')]
    const result = await persist(async () => {
      const fault = faults.shift()
      if (fault) throw fault
      return 'done'
    }, patience)
    expect(result).toBe('done')
    expect(waits.length).toBe(2)
  })

  it('does not repeat what was refused', async () => {
    const { patience, waits } = world()
    const error = named('ConditionalCheckFailedException')
    await expect(persist(() => Promise.reject(error), patience)).rejects.toBe(error)
    expect(waits).toEqual([])
  })

  it('spends no more than its budget, the last attempt included', async () => {
    const { patience, clock } = world({ attemptMs: 1_900 })
    const cause = named('TimeoutError')
    const startMs = clock()
    const failing = persist(() => patience.attempt(cause), patience)
    await expect(failing).rejects.toMatchObject({ code: 503, cause })
    expect(clock() - startMs).toBeLessThanOrEqual(patience.budgetMs)
  })

  it('ends even if the clock stands still', async () => {
    const { patience } = world({ frozen: true })
    const failing = persist(() => Promise.reject(named('ThrottlingException')), patience)
    await expect(failing).rejects.toMatchObject({ code: 429 })
  })

  it('gives a conflict five more tries of 10 to 80 ms', async () => {
    const { patience, waits } = world()
    const conflict = named('TransactionConflictException')
    await expect(persist(() => Promise.reject(conflict), patience)).rejects.toMatchObject({
      code: 429,
      body: { details: { retryAfterSeconds: 1 } },
    })
    expect(waits.length).toBe(5)
    expect(waits.every((ms) => ms >= 10 && ms <= 80)).toBe(true)
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
  const patience = {
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
  return { patience, clock, waits }
}
