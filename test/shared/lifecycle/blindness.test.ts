import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  endInterval,
  type Interval,
  judgeSight,
  MAX_INTERVALS,
  mergeIntervals,
  openInterval,
  sightedDeadlineMs,
  sightedMs,
  startInterval,
} from '../../../shared/lifecycle/blindness.ts'

const ms = fc.nat({ max: 100_000 })

/** Closed intervals in order, without overlaps, as the functions make them. */
const intervals = fc.array(fc.tuple(ms, ms), { maxLength: 40 }).map((steps) => {
  let nowMs = 0
  let list: readonly Interval[] = []
  for (const [sightedFor, blindFor] of steps) {
    list = startInterval(list, nowMs + sightedFor, 'test')
    nowMs += sightedFor + blindFor
    list = endInterval(list, nowMs)
  }
  return list
})

describe('time seen', () => {
  it('is at most the time that passed, and never negative', () => {
    fc.assert(
      fc.property(intervals, ms, ms, (list, fromMs, spanMs) => {
        const seenMs = sightedMs(list, fromMs, fromMs + spanMs)
        expect(seenMs).toBeGreaterThanOrEqual(0)
        expect(seenMs).toBeLessThanOrEqual(spanMs)
      }),
    )
  })

  it('adds up', () => {
    fc.assert(
      fc.property(intervals, ms, ms, ms, (list, fromMs, firstMs, secondMs) => {
        const middleMs = fromMs + firstMs
        const endMs = middleMs + secondMs
        const parts = sightedMs(list, fromMs, middleMs) + sightedMs(list, middleMs, endMs)
        expect(parts).toBe(sightedMs(list, fromMs, endMs))
      }),
    )
  })

  it('reaches a duration exactly at its deadline', () => {
    fc.assert(
      fc.property(intervals, ms, ms, (list, fromMs, durationMs) => {
        const deadlineMs = sightedDeadlineMs(list, fromMs, durationMs)
        expect(sightedMs(list, fromMs, deadlineMs)).toBe(durationMs)
      }),
    )
  })

  it('has no deadline while an interval that began before it is open', () => {
    const open = startInterval([], 40_000, 'test')
    expect(sightedDeadlineMs(open, 0, 50_000)).toBe(Number.POSITIVE_INFINITY)
    expect(sightedDeadlineMs(open, 0, 30_000)).toBe(30_000)
  })
})

describe('a list of intervals', () => {
  it('stays short, in order and apart, whatever happens', () => {
    fc.assert(
      fc.property(intervals, (list) => {
        expect(list.length).toBeLessThanOrEqual(MAX_INTERVALS)
        for (const [i, { fromMs, untilMs }] of list.entries()) {
          expect(untilMs).toBeGreaterThanOrEqual(fromMs)
          expect(fromMs).toBeGreaterThanOrEqual(list[i - 1]?.untilMs ?? 0)
        }
      }),
    )
  })

  it('forgets no blind moment when it is shortened', () => {
    let list: readonly Interval[] = []
    for (let i = 0; i < 100; i++)
      list = endInterval(startInterval(list, i * 100, 'test'), i * 100 + 30)
    expect(sightedMs(list, 0, 10_000)).toBeLessThanOrEqual(10_000 - 100 * 30)
  })

  it('merges with others so that no moment counts twice', () => {
    fc.assert(
      fc.property(intervals, intervals, ms, (a, b, atMs) => {
        const isIn = (list: readonly Interval[]) =>
          list.some(({ fromMs, untilMs = Infinity }) => fromMs <= atMs && atMs < untilMs)
        const both = mergeIntervals(a, b)
        expect(isIn(both)).toBe(isIn(a) || isIn(b))
        expect(both.filter((one) => isIn([one])).length).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('does not start twice, nor end what is not open', () => {
    const open = startInterval([], 5, 'test')
    expect(startInterval(open, 9, 'again')).toBe(open)
    const closed = endInterval(open, 12)
    expect(openInterval(closed)).toBeUndefined()
    expect(endInterval(closed, 20)).toBe(closed)
  })
})

describe('the observer', () => {
  it.each([
    { when: 'nothing speaks against it', signs: {}, sight: { kind: 'clear' } },
    {
      when: 'the canary fails',
      signs: { canaryFailingSinceMs: 95_000 },
      sight: { kind: 'blind', sinceMs: 95_000, why: 'the canary beat fails' },
    },
    {
      when: 'the api was in distress within the grace',
      signs: { distress: { firstAtMs: 40_000, lastAtMs: 50_000 } },
      sight: { kind: 'blind', sinceMs: 40_000, why: 'the api had to refuse beats' },
    },
    {
      when: 'the distress is older than the grace',
      signs: { distress: { firstAtMs: 40_000, lastAtMs: 49_999 } },
      sight: { kind: 'clear' },
    },
    {
      when: 'its clock is off by more than two seconds',
      signs: { skewMs: -2_001 },
      sight: { kind: 'doubtful', why: 'the clock is off by -2001 ms' },
    },
  ])('judges its sight: $when', ({ signs, sight }) => {
    expect(judgeSight(signs, 50_000, 100_000)).toEqual(sight)
  })
})
