import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ZoneState } from '../../../../shared/kube/zone/resource.ts'
import { defaultSettings as settings } from '../../../../shared/lifecycle/settings.ts'
import {
  judgeDisruption,
  mayForget,
  newZone,
  transitionFleet,
  transitionZone,
} from '../../../../shared/lifecycle/zones/disruption.ts'
import {
  canGrant,
  fullLimiter,
  nextGrantMs,
  spend,
  stoppedLimiter,
} from '../../../../shared/lifecycle/zones/limiter.ts'
import { calmFleet } from '../fleet.ts'

const counted = fc.constantFrom<ZoneState>('Normal', 'PartialDisruption', 'FullDisruption')

describe('a fleet', () => {
  it.each([
    { when: 'all zones are down', before: 'none', zones: ['FullDisruption'], transition: 'enter' },
    {
      when: 'all are still down',
      before: 'entering',
      zones: ['FullDisruption'],
      transition: 'stay',
    },
    {
      when: 'one zone lives',
      before: 'entered',
      zones: ['FullDisruption', 'Normal'],
      transition: 'leave',
    },
    { when: 'nobody counts any more', before: 'entered', zones: [], transition: 'stay' },
    { when: 'nobody counts', before: 'none', zones: [], transition: 'none' },
    {
      when: 'one of two is down',
      before: 'none',
      zones: ['FullDisruption', 'Normal'],
      transition: 'none',
    },
  ] as const)('turns: $transition, from $before when $when', ({ before, zones, transition }) => {
    expect(judgeDisruption(before, zones)).toBe(transition)
  })

  it('is disrupted after a transition exactly when every counted zone is down', () => {
    const before = fc.constantFrom('none', 'entering', 'entered' as const)
    fc.assert(
      fc.property(before, fc.array(counted, { minLength: 1 }), (disruption, zones) => {
        const transition = judgeDisruption(disruption as 'none', zones)
        const after = transitionFleet(
          { ...calmFleet, disruption: disruption as 'none' },
          transition,
          1_000,
        )
        const isDown = zones.every((state) => state === 'FullDisruption')
        expect(after.disruption !== 'none').toBe(isDown)
      }),
    )
  })

  it('starts every clock afresh when it leaves', () => {
    const disrupted = { ...calmFleet, disruption: 'entered', disruptionSinceMs: 3 } as const
    const left = transitionFleet(disrupted, 'leave', 77_000)
    expect(left).toEqual({ ...calmFleet, disruption: 'none', floorMs: 77_000 })
  })
})

describe('a zone in a transition', () => {
  const down = { size: 4, notReady: 4 }
  const well = { size: 4, notReady: 0 }

  it('is stopped when the fleet enters and starts with an empty bucket when it leaves', () => {
    const stopped = transitionZone(newZone(settings, 0), down, {
      fleet: 'enter',
      settings,
      nowMs: 5,
    })
    expect(stopped).toMatchObject({ state: 'FullDisruption', limiter: { stopped: true } })
    const freed = transitionZone(stopped, down, { fleet: 'leave', settings, nowMs: 60_000 })
    expect(nextGrantMs(freed.limiter, 0)).toBe(70_000)
  })

  it('is freed when it is found stopped though the fleet is well: a record was lost', () => {
    const stopped = transitionZone(newZone(settings, 0), down, {
      fleet: 'enter',
      settings,
      nowMs: 5,
    })
    const found = transitionZone(stopped, down, { fleet: 'none', settings, nowMs: 10 })
    expect(found.limiter).toMatchObject({ stopped: false, tokens: 0 })
  })

  it('takes over a changed rate without being given a token', () => {
    const zone = newZone(settings, 0)
    const spent = { ...zone, limiter: spend(zone.limiter, 0) }
    const faster = { ...settings, nodeEvictionRate: 1 }
    const next = transitionZone(spent, well, { fleet: 'none', settings: faster, nowMs: 1 })
    expect(next.limiter).toMatchObject({ rate: 1, tokens: 0 })
  })

  it('stays the very same record when nothing changed', () => {
    const zone = transitionZone(newZone(settings, 0), well, { fleet: 'none', settings, nowMs: 5 })
    expect(transitionZone(zone, well, { fleet: 'none', settings, nowMs: 10 })).toBe(zone)
  })

  it('never wins a token by turning, however often', () => {
    const transition = fc.constantFrom('none', 'enter', 'stay', 'leave' as const)
    const steps = fc.array(fc.tuple(transition, fc.nat({ max: 4 })), { maxLength: 30 })
    fc.assert(
      fc.property(steps, (steps) => {
        const fresh = newZone(settings, 0)
        let zone = { ...fresh, limiter: spend(fresh.limiter, 0) }
        for (const [transition, notReady] of steps) {
          zone = transitionZone(
            zone,
            { size: 4, notReady },
            { fleet: transition as 'none', settings, nowMs: 1 },
          )
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

  it('is forgotten when nothing is ever evicted: its bucket never fills', () => {
    const zone = { ...newZone(settings, 0), limiter: stoppedLimiter(0) }
    expect(mayForget(zone, { ...settings, nodeEvictionRate: 0 }, 1)).toBe(true)
    expect(mayForget(zone, settings, 1)).toBe(false)
  })

  it('keeps the time of its state while that stays, and takes the new one when it changes', () => {
    const at = (nowMs: number) => ({ fleet: 'none', settings, nowMs }) as const
    const zone = transitionZone(newZone(settings, 0), well, at(5))
    expect(zone.sinceMs).toBe(5)
    expect(transitionZone(zone, { size: 5, notReady: 0 }, at(9))).toMatchObject({ sinceMs: 5 })
    expect(transitionZone(zone, down, at(9))).toMatchObject({ sinceMs: 9, notReady: 4 })
  })

  it('of no counted node is as good as new', () => {
    const at = { fleet: 'none', settings, nowMs: 9 } as const
    expect(transitionZone(newZone(settings, 0), { size: 0, notReady: 0 }, at).state).toBe('Initial')
  })

  it.each([
    { when: 'it stays partly down', from: 'PartialDisruption', rate: 0.01, after: 0.01 },
    { when: 'it stays partly down and stopped', from: 'PartialDisruption', rate: 0, after: 0 },
    { when: 'it was well before', from: 'Normal', rate: 0.01, after: 0 },
    { when: 'its rate is none of ours', from: 'PartialDisruption', rate: 0.5, after: 0 },
  ] as const)('keeps its rate when $when', ({ from, rate, after }) => {
    const limiter = fullLimiter(rate, 0)
    const zone = { ...newZone(settings, 0), state: from, limiter }
    const partly = { size: 5, notReady: 3 }
    const next = transitionZone(zone, partly, { fleet: 'none', settings, nowMs: 9 })
    expect(next).toMatchObject({ state: 'PartialDisruption', limiter: { rate: after } })
  })

  it('is given its rate anew when the fleet leaves a full disruption', () => {
    const zone = { ...newZone(settings, 0), state: 'PartialDisruption' as const }
    const kept = { ...zone, limiter: fullLimiter(0.01, 0) }
    const large = { size: 5, notReady: 3 }
    const next = transitionZone(kept, large, { fleet: 'leave', settings, nowMs: 9 })
    expect(next.limiter.rate).toBe(0)
  })
})
