import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { judgeFence } from '../../../agent/pods/fence.ts'

const beat = { sentSteadyMs: 1_000, sentWallMs: 500_000, leaseDurationSeconds: 40, graceMs: 50_000 }
const later = (steadyMs: number, wallMs: number) => ({
  steadyMs: beat.sentSteadyMs + steadyMs,
  wallMs: beat.sentWallMs + wallMs,
})

describe('fencing', () => {
  it.each([
    {
      when: 'a moment before the lease less two seconds',
      now: later(37_999, 37_999),
      kind: 'safe',
    },
    { when: 'two seconds before the lease runs out', now: later(38_000, 38_000), kind: 'fence' },
    {
      when: 'the machine slept and only the wall clock went on',
      now: later(5, 60_000),
      kind: 'fence',
    },
    { when: 'the wall clock was set back a day', now: later(38_000, -86_400_000), kind: 'fence' },
    { when: 'the wall clock was set back, soon after a beat', now: later(5, -9_000), kind: 'safe' },
  ])('$when: $kind', ({ now, kind }) => {
    expect(judgeFence(beat, now).kind).toBe(kind)
  })

  it('counts by the grace where that is shorter than the lease', () => {
    expect(judgeFence({ ...beat, graceMs: 10_000 }, later(8_000, 0)).kind).toBe('fence')
  })

  it('never calls a host safe that has been silent longer than lease or grace', () => {
    const ms = fc.integer({ min: 1, max: 3_600_000 })
    fc.assert(
      fc.property(ms, ms, ms, ms, (leaseMs, graceMs, steadyMs, wallMs) => {
        const facts = { ...beat, leaseDurationSeconds: leaseMs / 1_000, graceMs }
        const verdict = judgeFence(facts, later(steadyMs, wallMs))
        if (verdict.kind === 'fence') return
        expect(Math.max(steadyMs, wallMs)).toBeLessThan(Math.min(leaseMs, graceMs))
      }),
    )
  })
})
