import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ago,
  amount,
  clock,
  grouped,
  percent,
  span,
  until,
} from '../../../dashboard/state/format.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('words for times', () => {
  it.each([
    { ms: -5, text: '0 s' },
    { ms: 8_900, text: '8 s' },
    { ms: 4 * MINUTE + 10_000, text: '4 min 10 s' },
    { ms: 5 * MINUTE, text: '5 min' },
    { ms: 42 * MINUTE + 59_000, text: '42 min' },
    { ms: 3 * HOUR + 5 * MINUTE, text: '3 h 5 min' },
    { ms: 52 * HOUR, text: '2 d 4 h' },
  ])('$ms ms are $text', ({ ms, text }) => {
    expect(span(ms)).toBe(text)
  })

  it.each([
    { when: 'it is past', ms: -1, text: 'now' },
    { when: 'it is a moment away', ms: 1, text: 'in 1 s' },
    { when: 'it is exactly two seconds away', ms: 2_000, text: 'in 2 s' },
    { when: 'it is just over a minute away', ms: MINUTE + 1, text: 'in 1 min 1 s' },
  ])('counts down to $text when $when', ({ ms, text }) => {
    expect(until(1_000_000 + ms, 1_000_000)).toBe(text)
  })

  it('never says that something was in the future', () => {
    expect(ago(2_000, 1_000)).toBe('just now')
    expect(ago(1_000, 91_000)).toBe('1 min 30 s ago')
  })

  it('names the day when it is not today', () => {
    const noon = new Date(2026, 0, 2, 12, 3, 4).getTime()
    expect(clock(noon, noon + 1_000)).toBe('12:03:04')
    expect(clock(noon, noon + 24 * HOUR)).toBe('2026-01-02 12:03:04')
  })
})

describe('words for amounts', () => {
  it('groups digits by three', () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(grouped(count)).toBe(count.toLocaleString('en-US'))
      }),
    )
  })

  it.each([
    { count: 1, text: '1 node' },
    { count: 0, text: '0 nodes' },
    { count: 10_000, text: '10,000 nodes' },
  ])('says $text', ({ count, text }) => {
    expect(amount(count, 'node')).toBe(text)
  })

  it.each([
    { share: 0, text: '0 %' },
    { share: 0.001, text: '1 %' },
    { share: 0.55, text: '55 %' },
    { share: 0.9999, text: '99 %' },
    { share: 1, text: '100 %' },
  ])('shows a share of $share as $text', ({ share, text }) => {
    expect(percent(share)).toBe(text)
  })
})
