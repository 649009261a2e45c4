import { expect, it } from 'vitest'
import {
  MAX_CLOCK_SKEW_MS,
  MAX_VERSION_LEAD_MS,
  MONITOR_OVERLAP_MS,
  WATCH_OVERLAP_MS,
  WRITE_ATTEMPT_MS,
} from '../../../shared/lifecycle/clock-bounds.ts'

/** The worst that two clocks can differ by. */
const APART_MS = 2 * MAX_CLOCK_SKEW_MS

it.each([
  { who: 'a watch', overlapMs: WATCH_OVERLAP_MS },
  { who: 'the monitor', overlapMs: MONITOR_OVERLAP_MS },
])(
  '$who looks back over the slowest write, the worst clocks and a lagging index',
  ({ overlapMs }) => {
    expect(overlapMs).toBeGreaterThanOrEqual(WRITE_ATTEMPT_MS + APART_MS + 4_000)
    // All of it is read again in every round.
    expect(overlapMs).toBeLessThanOrEqual(15_000)
  },
)

it('takes no version for foreign that two clocks at their worst can explain', () => {
  expect(MAX_VERSION_LEAD_MS).toBeGreaterThan(APART_MS)
  expect(MAX_VERSION_LEAD_MS).toBeLessThan(10_000)
})
