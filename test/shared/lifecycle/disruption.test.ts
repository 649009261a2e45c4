import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  judgeDisruption,
  mayForget,
  newZone,
  turnFleet,
  turnZone,
} from '../../../shared/lifecycle/disruption.ts'
import { canGrant, nextGrantMs, spend } from '../../../shared/lifecycle/limiter.ts'
import { defaultSettings as settings } from '../../../shared/lifecycle/settings.ts'
import type { ZoneState } from '../../../shared/lifecycle/zone-state.ts'
import { calmFleet } from './fleet.ts'

const counted = fc.constantFrom<ZoneState>('Normal', 'PartialDisruption', 'FullDisruption')

describe('a fleet', () => {
  it.each([
    { when: 'all zones are down', before: 'none', zones: ['FullDisruption'], turn: 'enter' },
    { when: 'all are still down', before: 'entering', zones: ['FullDisruption'], turn: 'stay' },
    {
      when: 'one zone lives',
      before: 'entered',
      zones: ['FullDisruption', 'Normal'],
      turn: 'leave',
    },
    { when: 'nobody counts any more', before: 'entered', zones: [], turn: 'stay' },
    { when: 'nobody counts', before: 'none', zones: [], turn: 'none' },
    {
      when: 'one of two is down',
      before: 'none',
      zones: ['FullDisruption', 'Normal'],
      turn: 'none',
    },
  ] as const)('turns: $turn, from $before when $when', ({ before, zones, turn }) => {
    expect(judgeDisruption(before, zones)).toBe(turn)
  })

  it('is disrupted after a turn exactly when every counted zone is down', () => {
    const before = fc.constantFrom('none', 'entering', 'entered' as const)
    fc.assert(
      fc.property(before, fc.array(counted, { minLength: 1 }), (disruption, zones) => {
        const turn = judgeDisruption(disruption as 'none', zones)
        const after = turnFleet({ ...calmFleet, disruption: disruption as 'none' }, turn, 1_000)
        const isDown = zones.every((state) => state === 'FullDisruption')
        expect(after.disruption !== 'none').toBe(isDown)
      }),
    )
  })

  it('starts every clock afresh when it leaves', () => {
    const disrupted = { ...calmFleet, disruption: 'entered', disruptionSinceMs: 3 } as const
    const left = turnFleet(disrupted, 'leave', 77_000)
    expect(left).toEqual({ ...calmFleet, disruption: 'none', floorMs: 77_000 })
  })
})

describe('a zone in a turn', () => {
  const down = { size: 4, notReady: 4 }
  const well = { size: 4, notReady: 0 }

  it('is stopped when the fleet enters and starts with an empty bucket when it leaves', () => {
    const stopped = turnZone(newZone(settings, 0), down, { turn: 'enter', settings, nowMs: 5 })
    expect(stopped).toMatchObject({ state: 'FullDisruption', limiter: { stopped: true } })
    const freed = turnZone(stopped, down, { turn: 'leave', settings, nowMs: 60_000 })
    expect(nextGrantMs(freed.limiter, 0)).toBe(70_000)
  })

  it('is freed when it is found stopped though the fleet is well: a record was lost', () => {
    const stopped = turnZone(newZone(settings, 0), down, { turn: 'enter', settings, nowMs: 5 })
    const found = turnZone(stopped, down, { turn: 'none', settings, nowMs: 10 })
    expect(found.limiter).toMatchObject({ stopped: false, tokens: 0 })
  })

  it('takes over a changed rate without being given a token', () => {
    const zone = newZone(settings, 0)
    const spent = { ...zone, limiter: spend(zone.limiter, 0) }
    const faster = { ...settings, nodeEvictionRate: 1 }
    const next = turnZone(spent, well, { turn: 'none', settings: faster, nowMs: 1 })
    expect(next.limiter).toMatchObject({ rate: 1, tokens: 0 })
  })

  it('stays the very same record when nothing changed', () => {
    const zone = turnZone(newZone(settings, 0), well, { turn: 'none', settings, nowMs: 5 })
    expect(turnZone(zone, well, { turn: 'none', settings, nowMs: 10 })).toBe(zone)
  })

  it('never wins a token by turning, however often', () => {
    const turn = fc.constantFrom('none', 'enter', 'stay', 'leave' as const)
    const steps = fc.array(fc.tuple(turn, fc.nat({ max: 4 })), { maxLength: 30 })
    fc.assert(
      fc.property(steps, (steps) => {
        const fresh = newZone(settings, 0)
        let zone = { ...fresh, limiter: spend(fresh.limiter, 0) }
        for (const [turn, notReady] of steps) {
          zone = turnZone(zone, { size: 4, notReady }, { turn: turn as 'none', settings, nowMs: 1 })
          expect(canGrant(zone.limiter, 1)).toBe(false)
        }
      }),
    )
  })

  it('is forgotten only when its bucket is full again', () => {
    const zone = newZone(settings, 0)
    const spent = { ...zone, limiter: spend(zone.limiter, 0) }
    expect(mayForget(spent, settings, 9_000)).toBe(false)
    expect(mayForget(spent, settings, 10_001)).toBe(true)
  })

  it('is not forgotten while people have paused it', () => {
    const paused = { ...newZone(settings, 0), stops: [{ fromMs: 0, why: 'upgrade' }] }
    expect(mayForget(paused, settings, 99_000)).toBe(false)
  })
})
