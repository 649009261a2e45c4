import { describe, expect, it } from 'vitest'
import { bannersOf } from '../../../dashboard/state/banners.ts'
import { fleetOf, NOW_MS } from './fleet.ts'

const paused = (reason: string) => ({
  metadata: {
    name: 'fleet',
    resourceVersion: String(NOW_MS * 1000),
    annotations: { 'leasehold.dev/evictions-paused': reason },
  },
})

describe('the banners', () => {
  it.each([
    { when: 'nothing is known yet', fleet: undefined, ids: [] },
    { when: 'all is as usual', fleet: fleetOf({}), ids: [] },
    {
      when: 'every zone is down',
      fleet: fleetOf({ disruption: 'entered', disruptionSinceMs: NOW_MS - 90_000 }),
      ids: ['disrupted'],
    },
    {
      when: 'full disruption is being entered',
      fleet: fleetOf({ disruption: 'entering' }),
      ids: ['disrupted'],
    },
    {
      when: 'the observer is blind',
      fleet: fleetOf({ blind: [{ fromMs: NOW_MS - 5_000, why: 'the canary beat fails' }] }),
      ids: ['blind'],
    },
    {
      when: 'it was blind and is not',
      fleet: fleetOf({ blind: [{ fromMs: 1, untilMs: 2, why: 'x' }] }),
      ids: [],
    },
    { when: 'evictions are paused', fleet: fleetOf({}, paused('swap')), ids: ['paused'] },
    { when: 'it observes', fleet: fleetOf({}, { status: { mode: 'observe' } }), ids: ['observe'] },
  ])('$when: $ids', ({ fleet, ids }) => {
    expect(bannersOf(fleet, NOW_MS).map(({ id }) => id)).toEqual(ids)
  })

  it('says so when the monitor has been silent for longer than it ever is', () => {
    expect(bannersOf(fleetOf({}), NOW_MS + 149_000)).toEqual([])
    expect(bannersOf(fleetOf({}), NOW_MS + 151_000)[0]?.since).toContain('2 min 31 s ago')
  })

  it('has titles that do not change with the seconds, because they are read aloud', () => {
    const fleet = fleetOf({ disruption: 'entered', disruptionSinceMs: NOW_MS - 1_000 })
    const titles = (nowMs: number) => bannersOf(fleet, nowMs).map(({ title }) => title)
    expect(titles(NOW_MS + 60_000)).toEqual(titles(NOW_MS))
  })

  it('shows the operator’s reason', () => {
    expect(bannersOf(fleetOf({}, paused('a <b>switch</b>')), NOW_MS)[0]?.text).toBe(
      'Reason: a <b>switch</b>',
    )
  })
})
