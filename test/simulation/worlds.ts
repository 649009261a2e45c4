/** Many small worlds: what goes wrong mostly needs a fault and a few hosts. */
import { describe, expect, it } from 'vitest'
import { type Plan, simulate } from './world.ts'

const GROUP = 10
export const size = { hours: 0.15, nodes: 6, zones: 2 }

/** What broke, with all it takes to see it again. */
export async function brokenIn(plan: Plan) {
  const { broken } = await simulate(plan)
  return broken ? [{ ...plan, ...broken }] : []
}

export function keepsPromises(first: number, last: number): void {
  const groups = Array.from({ length: (last - first + 1) / GROUP }, (_, at) => first + at * GROUP)
  describe('a world in which everything goes wrong', () => {
    it.each(groups)('keeps every promise for the ten seeds from %i on', async (from) => {
      for (let seed = from; seed < from + GROUP; seed += 1)
        expect(await brokenIn({ seed, ...size })).toEqual([])
    })
  })
}
