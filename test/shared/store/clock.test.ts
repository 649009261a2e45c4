import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stamps } from '../../../shared/store/clock.ts'

describe('a stamp', () => {
  it.each([
    { when: 'nothing was there', nowMs: 1_000, previous: 0, stamp: 1_000_000 },
    { when: 'what was there is older', nowMs: 1_000, previous: 999_999, stamp: 1_000_000 },
    { when: 'what was there is as young', nowMs: 1_000, previous: 1_000_000, stamp: 1_000_001 },
    { when: 'what was there is ahead', nowMs: 1_000, previous: 5_000_000, stamp: 5_000_001 },
    { when: 'the clock has fractions', nowMs: 1_000.7, previous: 0, stamp: 1_000_000 },
  ])('is $stamp when $when', ({ nowMs, previous, stamp }) => {
    expect(stamps(() => nowMs)(previous)).toBe(stamp)
  })

  it('differs from the others of its millisecond, and never reaches the next', () => {
    const stamp = stamps(() => 1_000)
    const made = Array.from({ length: 1_500 }, () => stamp(0))
    expect(new Set(made).size).toBe(1_000)
    expect(Math.max(...made)).toBe(1_000_999)
  })

  it('always grows over what was there', () => {
    const clocks = fc.array(fc.integer({ min: 0, max: 9_000_000_000_000 }))
    fc.assert(
      fc.property(clocks, fc.nat(), (times, start) => {
        const left = [...times]
        const stamp = stamps(() => left.shift() ?? 0)
        let version = start
        for (const _ of times) {
          const next = stamp(version)
          if (next <= version || !Number.isSafeInteger(next)) return false
          version = next
        }
        return true
      }),
    )
  })
})
