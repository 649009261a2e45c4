import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { narrow, type Skew, skewMs } from '../../../dashboard/api/server-clock.ts'

const second = (ms: number) => Math.floor(ms / 1000) * 1000

describe('the clock of the server', () => {
  it.each([
    { when: 'nothing was heard yet', skew: undefined, ms: 0 },
    { when: 'the clocks may agree', skew: { leastMs: -300, mostMs: 700 }, ms: 0 },
    { when: 'the server is ahead', skew: { leastMs: 4_000, mostMs: 5_000 }, ms: 4_500 },
    { when: 'the server is behind', skew: { leastMs: -9_000, mostMs: -8_000 }, ms: -8_500 },
  ])('is $ms ms from ours when $when', ({ skew, ms }) => {
    expect(skewMs(skew)).toBe(ms)
  })

  it('is known ever more closely, and never outside of what each answer allows', () => {
    const answers = fc.array(
      fc.record({
        atMs: fc.integer({ min: 0, max: 100_000 }),
        thereMs: fc.integer({ min: 0, max: 400 }),
        backMs: fc.integer({ min: 0, max: 400 }),
      }),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(answers, fc.integer({ min: -60_000, max: 60_000 }), (list, trueSkewMs) => {
        let skew: Skew | undefined
        for (const { atMs, thereMs, backMs } of list) {
          const dateMs = second(1e12 + atMs + thereMs + trueSkewMs)
          const times = { sentAtMs: 1e12 + atMs, receivedAtMs: 1e12 + atMs + thereMs + backMs }
          skew = narrow(skew, { ...times, dateMs })
        }
        expect(skew!.leastMs).toBeLessThanOrEqual(trueSkewMs)
        expect(skew!.mostMs).toBeGreaterThanOrEqual(trueSkewMs)
      }),
    )
  })

  it('is measured afresh after one of the clocks was set', () => {
    const before = { leastMs: 0, mostMs: 500 }
    const after = { sentAtMs: 100_000, receivedAtMs: 100_100, dateMs: 50_000 }
    expect(narrow(before, after)).toEqual({ leastMs: -50_100, mostMs: -49_000 })
  })
})
