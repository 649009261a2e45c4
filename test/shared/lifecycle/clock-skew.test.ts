import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClockSkew,
  correctedNowMs,
  leastSkewMs,
  likelySkewMs,
  narrowSkew,
} from '../../../shared/lifecycle/clock-skew.ts'

const second = 1_800_000_000_000
const secondOf = (ms: number) => Math.floor(ms / 1000) * 1000

describe('the clock guard', () => {
  it('never claims more than the truth, and comes close to it with many answers', () => {
    const sample = fc.record({ gapMs: fc.nat(5_000), tripMs: fc.nat(40) })
    const samples = fc.array(sample, { minLength: 200, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: -60_000, max: 60_000 }), samples, (offMs, trips) => {
        let skew: ClockSkew | undefined
        let theirsMs = second
        for (const { gapMs, tripMs } of trips) {
          theirsMs += gapMs
          const sentAtMs = theirsMs + offMs
          const dateMs = Math.floor(theirsMs / 1_000) * 1_000
          skew = narrowSkew(skew, { sentAtMs, receivedAtMs: sentAtMs + tripMs, dateMs })
        }
        const seen = leastSkewMs(skew)
        return Math.abs(seen) <= Math.abs(offMs) && Math.abs(offMs - seen) < 1_000
      }),
      { numRuns: 50 },
    )
  })

  it('believes a new answer that contradicts the old ones', () => {
    const old = { lowMs: 0, highMs: 10 }
    const answer = { sentAtMs: second + 9_000, receivedAtMs: second + 9_010, dateMs: second }
    expect(narrowSkew(old, answer)).toEqual({ lowMs: 8_000, highMs: 9_010 })
  })
})

describe('the clock of the server', () => {
  it.each([
    { when: 'nothing was heard yet', skew: undefined, ms: 0 },
    { when: 'the clocks may agree', skew: { lowMs: -700, highMs: 300 }, ms: 0 },
    { when: 'the server is ahead', skew: { lowMs: -5_000, highMs: -4_000 }, ms: 4_500 },
    { when: 'the server is behind', skew: { lowMs: 8_000, highMs: 9_000 }, ms: -8_500 },
  ])('is $ms ms from ours when $when', ({ skew, ms }) => {
    expect(0 - likelySkewMs(skew)).toBe(ms)
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
        let skew: ClockSkew | undefined
        for (const { atMs, thereMs, backMs } of list) {
          const dateMs = secondOf(1e12 + atMs + thereMs + trueSkewMs)
          const times = { sentAtMs: 1e12 + atMs, receivedAtMs: 1e12 + atMs + thereMs + backMs }
          skew = narrowSkew(skew, { ...times, dateMs })
        }
        expect(-skew!.highMs).toBeLessThanOrEqual(trueSkewMs)
        expect(-skew!.lowMs).toBeGreaterThanOrEqual(trueSkewMs)
      }),
    )
  })

  it('is measured afresh after one of the clocks was set', () => {
    const before = { lowMs: -500, highMs: 0 }
    const after = { sentAtMs: 100_000, receivedAtMs: 100_100, dateMs: 50_000 }
    expect(narrowSkew(before, after)).toEqual({ lowMs: 49_000, highMs: 50_100 })
  })
})

describe('what is known of a skew', () => {
  it('is narrowed by an answer that agrees with it', () => {
    const answer = { sentAtMs: second + 600, receivedAtMs: second + 700, dateMs: second }
    expect(narrowSkew({ lowMs: 0, highMs: 1_000 }, answer)).toEqual({ lowMs: 0, highMs: 700 })
    expect(narrowSkew({ lowMs: -900, highMs: 500 }, answer)).toEqual({ lowMs: -400, highMs: 500 })
  })

  it('may come down to a single moment', () => {
    const answer = { sentAtMs: second + 600, receivedAtMs: second + 700, dateMs: second }
    expect(narrowSkew({ lowMs: 700, highMs: 900 }, answer)).toEqual({ lowMs: 700, highMs: 700 })
  })

  it.each([
    { offMs: 2_000, nowMs: second },
    { offMs: 2_001, nowMs: second - 2_001 },
    { offMs: -2_001, nowMs: second + 2_001 },
  ])('corrects a clock that is $offMs ms ahead only beyond two seconds', ({ offMs, nowMs }) => {
    expect(
      correctedNowMs(
        () => second,
        () => offMs,
      ),
    ).toBe(nowMs)
  })
})
