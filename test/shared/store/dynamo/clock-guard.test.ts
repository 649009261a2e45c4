import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clockGuard,
  narrow,
  type Skew,
  skewOf,
} from '../../../../shared/store/dynamo/clock-guard.ts'

const header = (ms: number) => new Date(ms).toUTCString()
const second = 1_800_000_000_000

describe('the clock guard', () => {
  it('believes our clock until something was heard', () => {
    const guard = clockGuard(() => 5)
    expect([guard.skewMs(), guard.nowMs()]).toEqual([0, 5])
    guard.heard(5, undefined)
    guard.heard(5, 'yesterday')
    expect(guard.skewMs()).toBe(0)
  })

  it.each([
    { when: 'ours agrees', offMs: 0, seenMs: 0, corrected: false },
    { when: 'ours is a little ahead', offMs: 1_500, seenMs: 1_000, corrected: false },
    { when: 'ours is far ahead', offMs: 5_000, seenMs: 4_500, corrected: true },
    { when: 'ours is far behind', offMs: -5_000, seenMs: -4_500, corrected: true },
  ])('when $when sees at least $seenMs ms', ({ offMs, seenMs, corrected }) => {
    const nowMs = second + 500 + offMs
    const guard = clockGuard(() => nowMs)
    guard.heard(nowMs, header(second))
    expect(guard.skewMs()).toBe(offMs > 0 ? seenMs : Math.min(seenMs, 0))
    expect(guard.nowMs()).toBe(corrected ? nowMs - seenMs : nowMs)
  })

  it('forgets after a minute', () => {
    let nowMs = second + 5_000
    const guard = clockGuard(() => nowMs)
    guard.heard(nowMs, header(second))
    expect(guard.skewMs()).toBe(4_000)
    nowMs = second + 70_500
    guard.heard(nowMs, header(second + 70_000))
    expect(guard.skewMs()).toBe(0)
  })

  it('never claims more than the truth, and comes close to it with many answers', () => {
    const sample = fc.record({ gapMs: fc.nat(5_000), tripMs: fc.nat(40) })
    const samples = fc.array(sample, { minLength: 200, maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: -60_000, max: 60_000 }), samples, (offMs, trips) => {
        let skew: Skew | undefined
        let theirsMs = second
        for (const { gapMs, tripMs } of trips) {
          theirsMs += gapMs
          const sentAtMs = theirsMs + offMs
          const dateMs = Math.floor(theirsMs / 1_000) * 1_000
          skew = narrow(skew, { sentAtMs, receivedAtMs: sentAtMs + tripMs, dateMs })
        }
        const seen = skewOf(skew)
        return Math.abs(seen) <= Math.abs(offMs) && Math.abs(offMs - seen) < 1_000
      }),
      { numRuns: 50 },
    )
  })

  it('believes a new answer that contradicts the old ones', () => {
    const old = { lowMs: 0, highMs: 10 }
    const answer = { sentAtMs: second + 9_000, receivedAtMs: second + 9_010, dateMs: second }
    expect(narrow(old, answer)).toEqual({ lowMs: 8_000, highMs: 9_010 })
  })
})
