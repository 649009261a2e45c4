import { describe, expect, it } from 'vitest'
import seeds from './seeds.json' with { type: 'json' }
import { simulate } from './world.ts'
import { brokenIn, keepsPromises, size } from './worlds.ts'

keepsPromises(1, 40)

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
