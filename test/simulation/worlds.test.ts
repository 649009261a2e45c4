/** Many small worlds: what goes wrong mostly needs a fault and a few hosts. More are a lane of their own. */
import { describe, expect, it } from 'vitest'
import seeds from './seeds.json' with { type: 'json' }
import { type Plan, simulate } from './world.ts'

const GROUP = 10
const size = { hours: 0.15, nodes: 6, zones: 2 }

/** What broke, with all it takes to see it again. */
async function brokenIn(plan: Plan) {
  const { broken } = await simulate(plan)
  return broken ? [{ ...plan, ...broken }] : []
}

describe('a world in which everything goes wrong', () => {
  it.each([1, 11, 21, 31])('keeps every promise for the ten seeds from %i on', async (from) => {
    for (let seed = from; seed < from + GROUP; seed += 1)
      expect(await brokenIn({ seed, ...size })).toEqual([])
  })
})

describe('a seeded world', () => {
  it('keeps every promise for every seed that once found a bug', async () => {
    for (const plan of seeds) expect(await brokenIn(plan)).toEqual([])
  })

  it('is the same for the same seed, to the last write', async () => {
    const plan = { seed: 10, ...size }
    expect(await simulate(plan)).toEqual(await simulate(plan))
  })

  it('is worth watching: hosts are marked, tainted, and their pods evicted', async () => {
    const { counts } = await simulate({ seed: 3, hours: 0.5, nodes: 12, zones: 3 })
    expect(Math.min(counts.marks, counts.taints, counts.evictions)).toBeGreaterThan(0)
  })
})
