import { describe, expect, it } from 'vitest'
import { summarizeFleet } from '../../../dashboard/state/fleet-summary.ts'
import { fleetOf, many, NOW_MS, viewsOf } from './fleet.ts'

const summarize = (...plans: Parameters<typeof viewsOf>[0]) =>
  summarizeFleet(viewsOf(plans), fleetOf({}), NOW_MS)

describe('the first sentence', () => {
  it.each([
    { when: 'there is no node', plans: [], tone: 'empty', says: 'No node has registered yet.' },
    {
      when: 'all is well',
      plans: [{ name: 'a', states: many('ready', 3) }],
      tone: 'calm',
      says: 'All 3 nodes are ready.',
    },
    {
      when: 'one of many is down',
      plans: [{ name: 'a', states: [...many('ready', 2), 'unknown' as const] }],
      tone: 'alarm',
      says: '1 of 3 nodes is not ready.',
    },
    {
      when: 'every node is down',
      plans: [{ name: 'a', states: many('notReady', 4) }],
      tone: 'alarm',
      says: 'None of 4 nodes is ready.',
    },
  ])('is "$says" when $when', ({ plans, tone, says }) => {
    expect(summarize(...plans)).toMatchObject({ tone, headline: says })
  })

  it('does not call a cordoned node a fault', () => {
    const { tone, remark } = summarize({ name: 'a', states: ['ready', 'cordoned'] })
    expect([tone, remark]).toEqual(['calm', '1 node cordoned.'])
  })

  it('counts those that observe mode leaves unmarked, and says so', () => {
    const views = viewsOf([
      { name: 'a', states: many('ready', 4), judgedDown: 3 },
      { name: 'b', states: many('ready', 2) },
    ])
    const observing = fleetOf({}, { status: { mode: 'observe' } })
    expect(summarizeFleet(views, observing, NOW_MS)).toMatchObject({
      tone: 'alarm',
      headline: '3 of 6 nodes are not ready.',
      zones: [{ name: 'a', bad: 3, total: 4 }],
      remark: 'Observe mode leaves 3 of them unmarked.',
    })
    // Cells are written a little later than zones, so a difference means nothing while it acts.
    expect(summarizeFleet(views, fleetOf({}), NOW_MS).tone).toBe('calm')
  })

  it('names the worst zones first, and how many more there are', () => {
    const plans = [1, 4, 2, 3].map((bad) => ({ name: `z${bad}`, states: many('unknown', bad) }))
    const { zones, otherZones } = summarize(...plans)
    expect(zones.map(({ name }) => name)).toEqual(['z4', 'z3', 'z2'])
    expect(otherZones).toBe(1)
  })

  it.each([
    { when: 'they fell together', firstMs: 70_000, says: /^Since .* \(1 min 10 s ago\)\.$/ },
    { when: 'one is an old story', firstMs: 90_000_000, says: /^The latest since .* for 1 d/ },
  ])('says since when: $when', ({ firstMs, says }) => {
    const { remark } = summarize(
      { name: 'a', states: ['unknown'], sinceMs: NOW_MS - firstMs },
      { name: 'b', states: ['unknown'], sinceMs: NOW_MS - 60_000 },
    )
    expect(remark).toMatch(says)
  })
})
