import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beatTiming } from '../../../../shared/lifecycle/liveness/beat-timing.ts'
import { defaultSettings, parseSettings } from '../../../../shared/lifecycle/settings.ts'

function fleet(flags: Record<string, string | undefined>) {
  const parsed = parseSettings((name) => flags[name])
  if (parsed.kind !== 'settings') throw new Error(parsed.problems.join())
  return parsed.settings
}

describe('the rhythm a host is told', () => {
  it.each([
    { when: 'nothing is unusual', flags: {}, told: undefined },
    {
      when: 'the fleet has a short grace',
      flags: { 'node-monitor-grace-period': '6s' },
      told: { beatSeconds: 1.5, graceSeconds: 6 },
    },
    {
      when: 'the fleet has a long grace',
      flags: { 'node-monitor-grace-period': '5m' },
      told: { beatSeconds: 10, graceSeconds: 300 },
    },
    {
      when: 'the operator chose the beat',
      flags: { 'node-lease-renew-interval': '20s' },
      told: { beatSeconds: 20, graceSeconds: 50 },
    },
    {
      when: 'its own grace is longer',
      flags: {},
      own: 3_600_000,
      told: { beatSeconds: 720, graceSeconds: 3_600 },
    },
    {
      when: 'its own grace goes before that of the fleet',
      flags: { 'node-monitor-grace-period': '6s' },
      own: 50_000,
      told: { beatSeconds: 10, graceSeconds: 50 },
    },
  ])('$when', ({ flags, own, told }) => {
    expect(beatTiming(fleet(flags), own)).toEqual(told)
  })

  it('leaves room for three lost beats, whatever the grace of a node', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3_000, max: 3_600_000 }), (ownGraceMs) => {
        const { beatSeconds, graceSeconds } = beatTiming(defaultSettings, ownGraceMs)!
        expect(beatSeconds * 4).toBeLessThan(graceSeconds)
      }),
    )
  })
})
