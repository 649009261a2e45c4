import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  endInterval,
  type Interval,
  judgeVisibility,
  latestRefusals,
  MAX_INTERVALS,
  mergeIntervals,
  observedDeadlineMs,
  observedMs,
  openInterval,
  startInterval,
} from '../../../../shared/lifecycle/liveness/visibility.ts'

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
        const seenMs = observedMs(list, fromMs, fromMs + spanMs)
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
        const parts = observedMs(list, fromMs, middleMs) + observedMs(list, middleMs, endMs)
        expect(parts).toBe(observedMs(list, fromMs, endMs))
      }),
    )
  })

  it('reaches a duration exactly at its deadline', () => {
    fc.assert(
      fc.property(intervals, ms, ms, (list, fromMs, durationMs) => {
        const deadlineMs = observedDeadlineMs(list, fromMs, durationMs)
        expect(observedMs(list, fromMs, deadlineMs)).toBe(durationMs)
      }),
    )
  })

  it('has no deadline while an interval that began before it is open', () => {
    const open = startInterval([], 40_000, 'test')
    expect(observedDeadlineMs(open, 0, 50_000)).toBe(Number.POSITIVE_INFINITY)
    expect(observedDeadlineMs(open, 0, 30_000)).toBe(30_000)
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
    expect(list).toHaveLength(MAX_INTERVALS)
    expect(observedMs(list, 0, 10_000)).toBeLessThanOrEqual(10_000 - 100 * 30)
  })

  it('is shortened where the least time between two is lost', () => {
    // Blind for 10 ms in every 1,000, and once 10 ms after the one before.
    const starts = Array.from({ length: MAX_INTERVALS }, (_, at) => at * 1_000)
    const full = [...starts, 5_020].toSorted((a, b) => a - b)
    let list: readonly Interval[] = []
    for (const fromMs of full) list = endInterval(startInterval(list, fromMs, 'test'), fromMs + 10)
    expect(list).toHaveLength(MAX_INTERVALS)
    expect(list[5]).toMatchObject({ fromMs: 5_000, untilMs: 5_030 })
    expect(list[4]).toMatchObject({ fromMs: 4_000, untilMs: 4_010 })
    expect(list[6]).toMatchObject({ fromMs: 6_000, untilMs: 6_010 })
  })

  it('keeps as many as it may', () => {
    let list: readonly Interval[] = []
    for (let at = 0; at < MAX_INTERVALS; at++)
      list = endInterval(startInterval(list, at * 1_000, 'test'), at * 1_000 + 10)
    expect(list.map(({ fromMs }) => fromMs)).toEqual(list.map((_, at) => at * 1_000))
    expect(list).toHaveLength(MAX_INTERVALS)
  })

  it('begins where the one before ended, when told of an earlier start', () => {
    const before = endInterval(startInterval([], 100, 'test'), 200)
    expect(startInterval(before, 150, 'test').at(-1)).toEqual({ fromMs: 200, why: 'test' })
  })

  it.each([
    {
      when: 'the first',
      lists: [[{ fromMs: 0, why: 'a' }], [{ fromMs: 5, untilMs: 9, why: 'b' }]],
    },
    {
      when: 'the second',
      lists: [[{ fromMs: 0, untilMs: 7, why: 'a' }], [{ fromMs: 5, why: 'b' }]],
    },
  ])('stays open when merged while $when is open', ({ lists }) => {
    expect(mergeIntervals(...lists)).toEqual([{ fromMs: 0, why: 'a' }])
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
  const refused = { why: 'the api had to refuse beats', onlyRefusals: true }

  it.each([
    { when: 'nothing speaks against it', healthSignals: {}, visibility: { kind: 'clear' } },
    {
      when: 'the canary fails',
      healthSignals: { canaryFailingSinceMs: 95_000 },
      visibility: { kind: 'blind', sinceMs: 95_000, why: 'the canary beat fails' },
    },
    {
      when: 'there was no service, until less than a grace ago',
      healthSignals: { downtime: { fromMs: 40_000, untilMs: 50_000 } },
      visibility: { kind: 'blind', sinceMs: 40_000, why: 'the service was down' },
    },
    {
      when: 'there was no service, a grace ago',
      healthSignals: { downtime: { fromMs: 40_000, untilMs: 49_999 } },
      visibility: { kind: 'clear' },
    },
    {
      when: 'beats of two nodes were refused, and that is all there are',
      healthSignals: { refusedAtMs: [99_000, 99_000], beatingNodes: 0 },
      visibility: { kind: 'clear' },
    },
    {
      when: 'beats of three were refused, within the grace: since the third',
      healthSignals: { refusedAtMs: [98_000, 50_000, 60_000], beatingNodes: 60 },
      visibility: { kind: 'blind', sinceMs: 98_000, ...refused },
    },
    {
      when: 'one of three refusals is older than the grace',
      healthSignals: { refusedAtMs: [98_000, 49_999, 60_000], beatingNodes: 60 },
      visibility: { kind: 'clear' },
    },
    {
      when: 'three are less than one in twenty of those that beat',
      healthSignals: { refusedAtMs: [98_000, 97_000, 96_000], beatingNodes: 61 },
      visibility: { kind: 'clear' },
    },
    {
      when: 'four are enough of those, since the fourth',
      healthSignals: { refusedAtMs: [98_000, 97_000, 96_000, 99_000], beatingNodes: 61 },
      visibility: { kind: 'blind', sinceMs: 99_000, ...refused },
    },
    {
      when: 'the canary fails too: then not only refusals speak against it',
      healthSignals: { refusedAtMs: [98_000, 97_000, 96_000], canaryFailingSinceMs: 95_000 },
      visibility: { kind: 'blind', sinceMs: 95_000, why: 'the api had to refuse beats' },
    },
    {
      when: 'its clock is off by two seconds, which is allowed',
      healthSignals: { skewMs: 2_000 },
      visibility: { kind: 'clear' },
    },
    {
      when: 'its clock is off by more than two seconds',
      healthSignals: { skewMs: -2_001 },
      visibility: { kind: 'doubtful', why: 'the clock is off by -2001 ms' },
    },
  ])('judges its visibility: $when', ({ healthSignals, visibility }) => {
    expect(judgeVisibility(healthSignals, 50_000, 100_000)).toEqual(visibility)
  })

  it('is not blinded by two nodes, however often they are refused, nor by few of many', () => {
    const nodes = fc.array(ms, { maxLength: 40 })
    fc.assert(
      fc.property(
        nodes,
        fc.nat({ max: 2_000 }),
        ms,
        ms,
        (refusedAtMs, beatingNodes, graceMs, nowMs) => {
          const { kind } = judgeVisibility({ refusedAtMs, beatingNodes }, graceMs, nowMs)
          const young = refusedAtMs.filter((atMs) => nowMs - atMs <= graceMs).length
          expect(kind).toBe(young >= 3 && young >= beatingNodes * 0.05 ? 'blind' : 'clear')
        },
      ),
    )
  })
})

const NOW_MS = 100_000
const uids: Readonly<Record<string, string>> = { a: 'uid-a', b: 'uid-b' }
const uidOf = (name: string) => uids[name]

describe('refused beats of all processes', () => {
  it.each([
    { when: 'there is no record', records: [], latest: {} },
    {
      when: 'two processes refused one node: the later counts',
      records: [{ a: { atMs: 5_000 } }, { a: { atMs: 9_000 }, b: { atMs: 1 } }, { a: { atMs: 7 } }],
      latest: { a: 9_000, b: 1 },
    },
    {
      when: 'the token was of the Node there is',
      records: [{ a: { atMs: 5_000, uid: 'uid-a' } }],
      latest: { a: 5_000 },
    },
    {
      when: 'the token was of an earlier Node of the name',
      records: [{ a: { atMs: 5_000, uid: 'uid-of-yore' } }],
      latest: {},
    },
    { when: 'there is no such Node', records: [{ x: { atMs: 5_000 } }], latest: {} },
    {
      when: 'a clock is ahead of ours',
      records: [{ a: { atMs: NOW_MS + 900 } }],
      latest: { a: NOW_MS },
    },
  ])('$when', ({ records, latest }) => {
    const told = records.map((nodes) => ({ nodes: nodes as Record<string, { atMs: number }> }))
    expect(Object.fromEntries(latestRefusals(told, uidOf, NOW_MS))).toEqual(latest)
  })
})
