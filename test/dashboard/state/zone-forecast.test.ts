import { describe, expect, it } from 'vitest'
import { forecastZone } from '../../../dashboard/state/zone-forecast.ts'
import { stoppedLimiter } from '../../../shared/lifecycle/zones/limiter.ts'
import { fleetOf, many, NOW_MS, viewsOf, type ZonePlan } from './fleet.ts'

const down: ZonePlan = { name: 'a', states: [...many('unknown', 3), ...many('ready', 3)] }
const empty = { rate: 0.1, tokens: 0, refilledAtMs: NOW_MS - 4_000, stopped: false }

describe('what happens next in a zone', () => {
  it.each([
    {
      when: 'all is well',
      zone: { ...down, states: many('ready', 2) },
      fleet: fleetOf({}),
      tone: 'calm',
      says: 'No evictions are due',
    },
    {
      when: 'nodes wait for a token',
      zone: { ...down, record: { limiter: empty } },
      fleet: fleetOf({}),
      tone: 'moving',
      says: '3 nodes to be evicted: the next in 6 s, then one every 10 s.',
    },
    {
      when: 'the rate is quicker than a second',
      zone: { ...down, record: { limiter: { ...empty, rate: 2.5 } } },
      fleet: fleetOf({}),
      tone: 'moving',
      says: 'then 2.5 a second.',
    },
    {
      when: 'every node that is down was told to go',
      zone: { ...down, states: [...many('evicting', 3), ...many('ready', 3)] },
      fleet: fleetOf({}),
      tone: 'moving',
      says: 'The pods of 3 nodes are deleted when their time is up.',
    },
    {
      when: 'the limiter is stopped',
      zone: { ...down, record: { limiter: stoppedLimiter(NOW_MS) } },
      fleet: fleetOf({}),
      tone: 'held',
      says: 'Evictions are stopped in this zone.',
    },
    {
      when: 'an operator paused the zone',
      zone: { ...down, pausedBecause: 'switch swap' },
      fleet: fleetOf({}),
      tone: 'held',
      says: 'Evictions are paused here: switch swap.',
    },
    {
      when: 'the whole fleet is disrupted',
      zone: down,
      fleet: fleetOf({ disruption: 'entered' }),
      tone: 'held',
      says: 'every zone is down at once',
    },
    {
      when: 'the observer is blind',
      zone: down,
      fleet: fleetOf({ blind: [{ fromMs: 1, why: 'no canary' }] }),
      tone: 'held',
      says: 'the monitor doubts what it sees',
    },
    {
      when: 'it only observes',
      zone: down,
      fleet: fleetOf({}, { status: { mode: 'observe' } }),
      tone: 'held',
      says: 'Observe mode',
    },
  ])('$when: $tone', ({ zone, fleet, tone, says }) => {
    const [view] = viewsOf([zone])
    const forecast = forecastZone(view!, fleet, NOW_MS)
    expect(forecast.tone).toBe(tone)
    expect(forecast.text).toContain(says)
  })
})
