import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { SmallFleet } from '../../functions/monitor/small-fleet.ts'
import { wrappedStore } from '../../store-doubles/wrapped-store.ts'

const settings = { nodeEvictionSettleMs: 0, largeClusterSizeThreshold: 50 }
const HOSTS = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']
const PERIOD_MS = 5_000

/**
 * Who beats in each stretch of time, and how many writes of each tick happen before the monitor
 * dies.
 */
interface Story {
  readonly stretches: readonly { readonly ticks: number; readonly beating: readonly string[] }[]
  readonly survives: readonly number[]
}

const story: fc.Arbitrary<Story> = fc.record({
  stretches: fc.array(
    fc.record({ ticks: fc.integer({ min: 1, max: 15 }), beating: fc.subarray(HOSTS) }),
    { minLength: 1, maxLength: 4 },
  ),
  survives: fc.array(fc.nat({ max: 6 }), { minLength: 5, maxLength: 40 }),
})

/** A monitor over the memory store that may be killed between two of its writes. */
async function newFleet() {
  let left = Number.POSITIVE_INFINITY
  const fleet = new SmallFleet({
    settings,
    store: (clock) =>
      wrappedStore(memoryStore({ clock }), {
        call: (name, act) => {
          // Of a dead process no call arrives.
          if (left <= 0) throw new Error('the monitor is dead')
          if (name === 'commit') left--
          return act()
        },
      }),
  })
  for (const name of HOSTS) await fleet.addNode(name, name[0])

  const tick = async (beating: readonly string[], survives: number) => {
    fleet.nowMs += PERIOD_MS
    await fleet.beat(...beating)
    for (const name of beating) {
      if ((await fleet.readyOf(name))?.status === 'Unknown') await fleet.report(name)
    }
    left = survives
    await fleet.tick().catch((error: unknown) => {
      if (left > 0) throw error
    })
    if (left <= 0) fleet.restart()
    left = Number.POSITIVE_INFINITY
  }
  return { fleet, tick }
}

const HEALING_TICKS = 60

async function play({ stretches, survives }: Story, dies: boolean) {
  const { fleet, tick } = await newFleet()
  let ticks = 0
  for (const { ticks: count, beating } of stretches) {
    for (let i = 0; i < count; i++, ticks++) {
      await tick(beating, dies ? survives[ticks % survives.length]! : Number.POSITIVE_INFINITY)
      await watch(fleet, beating)
    }
  }
  const { beating } = stretches.at(-1)!
  for (let i = 0; i < HEALING_TICKS; i++) await tick(beating, Number.POSITIVE_INFINITY)
  return await endOf(fleet)
}

const isUnknown = async (fleet: SmallFleet, name: string) =>
  (await fleet.readyOf(name))?.status === 'Unknown'

/** What must hold after every tick, dead or alive. */
async function watch(fleet: SmallFleet, beating: readonly string[]): Promise<void> {
  for (const name of beating) expect(await isUnknown(fleet, name)).toBe(false)
  if ((await fleet.fleetStatus())?.disruption === 'entered')
    expect(await fleet.evicting()).toEqual([])
}

async function endOf(fleet: SmallFleet) {
  const zones = await Promise.all(['a', 'b'].map((name) => fleet.zoneStatus(name)))
  return {
    disruption: (await fleet.fleetStatus())?.disruption,
    zones: zones.map((zone) => [zone?.state, zone?.evictionRate]),
    nodes: await Promise.all(
      HOSTS.map(async (name) => [name, await isUnknown(fleet, name), await fleet.taintsOf(name)]),
    ),
  }
}

describe('a monitor that dies after any of its writes', () => {
  it('leaves the fleet where one that lives would have brought it', async () => {
    await fc.assert(
      fc.asyncProperty(story, async (story) => {
        expect(await play(story, true)).toEqual(await play(story, false))
      }),
      { numRuns: 8 },
    )
  })
})
