import { describe, expect, it } from 'vitest'
import { clockGuard } from '../../../shared/store/clock.ts'

const header = (ms: number) => new Date(ms).toUTCString()
const second = 1_800_000_000_000

describe('the clock guard', () => {
  it('believes our clock until something was heard', () => {
    const guard = clockGuard(() => 5)
    expect([guard.skewMs(), guard.nowMs()]).toEqual([0, 5])
    guard.observe(5, undefined)
    guard.observe(5, 'yesterday')
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
    guard.observe(nowMs, header(second))
    expect(guard.skewMs()).toBe(offMs > 0 ? seenMs : Math.min(seenMs, 0))
    expect(guard.nowMs()).toBe(corrected ? nowMs - seenMs : nowMs)
  })

  it('forgets after a minute', () => {
    let nowMs = second + 5_000
    const guard = clockGuard(() => nowMs)
    guard.observe(nowMs, header(second))
    expect(guard.skewMs()).toBe(4_000)
    nowMs = second + 70_500
    guard.observe(nowMs, header(second + 70_000))
    expect(guard.skewMs()).toBe(0)
  })
})
