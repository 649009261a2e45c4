import { describe, expect, it } from 'vitest'
import { openInterval } from '../../../../shared/lifecycle/liveness/visibility.ts'
import { pauseEvictions, resumeEvictions } from '../../../../shared/lifecycle/zones/holds.ts'
import { calmFleet } from '../fleet.ts'

describe('the switch that pauses evictions', () => {
  const paused = pauseEvictions(calmFleet, 'upgrade', 1_000)

  it('opens a stretch that says why', () => {
    expect(openInterval(paused.stops)).toEqual({ fromMs: 1_000, why: 'upgrade' })
  })

  it('keeps the first reason when it is pressed twice', () => {
    expect(pauseEvictions(paused, 'again', 2_000)).toBe(paused)
  })

  it('closes the stretch when evictions resume, and remembers how long it was', () => {
    const resumed = resumeEvictions(paused, 5_000)
    expect(resumed.stops).toEqual([{ fromMs: 1_000, untilMs: 5_000, why: 'upgrade' }])
    expect(resumeEvictions(resumed, 9_000)).toBe(resumed)
  })
})
