import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs } from '../../../dashboard/api/backoff.ts'

it('waits between a quarter of a second and fifteen, and never less after more failures', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), random, (failures, chance) => {
      const ms = backoffMs(failures, chance)
      expect(ms).toBeGreaterThanOrEqual(250)
      expect(ms).toBeLessThanOrEqual(15_000)
      expect(backoffMs(failures + 1, chance)).toBeGreaterThanOrEqual(ms)
    }),
  )
})
