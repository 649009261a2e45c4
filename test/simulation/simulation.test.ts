import { describe, expect, it } from 'vitest'
import seeds from './seeds.json' with { type: 'json' }
import { simulate } from './world.ts'

const SEEDS = 200
const GROUP = 25
/** Small worlds, many of them: what goes wrong mostly needs a storm and a few hosts. */
const size = { hours: 0.25, nodes: 8, zones: 2 }

const brokenOf = async (plan: Parameters<typeof simulate>[0]) => {
  const { broken } = await simulate(plan)
  return broken ? [{ ...plan, ...broken }] : []
}

describe('a world in which everything goes wrong', () => {
  it.each(seeds)('keeps every promise for seed $seed, which once found a bug', async (plan) => {
    expect(await brokenOf(plan)).toEqual([])
  })

  const groups = Array.from({ length: SEEDS / GROUP }, (_, at) => 1 + at * GROUP)
  it.each(groups)('keeps every promise for the seeds from %i on', async (from) => {
    for (let seed = from; seed < from + GROUP; seed += 1)
      expect(await brokenOf({ seed, ...size })).toEqual([])
  })

  it('is the same world for the same seed, to the last write', async () => {
    const plan = { seed: 10, ...size }
    expect(await simulate(plan)).toEqual(await simulate(plan))
  })

  it('is worth watching: hosts are marked, tainted, and their pods evicted', async () => {
    const { counts } = await simulate({ seed: 3, hours: 0.5, nodes: 12, zones: 3 })
    expect(Math.min(counts.marks, counts.taints, counts.evictions)).toBeGreaterThan(0)
  })
})
