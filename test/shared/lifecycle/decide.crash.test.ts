import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../../shared/lifecycle/decide.ts'
import { readyNode } from './fleet.ts'
import { Stage } from './stage.ts'
import { T0_MS } from './vector-shapes.ts'

const config = {
  monitorGrace: 50,
  startupGrace: 60,
  monitorPeriod: 5,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterThreshold: 50,
  unhealthyZoneThreshold: 0.55,
}
const HOSTS = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']
const PERIOD_MS = 5_000

/**
 * Who beats in each stretch of time, and how many actions of each tick happen before the monitor
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
  survives: fc.array(fc.nat({ max: 12 }), { minLength: 5, maxLength: 40 }),
})

function newStage(): Stage {
  const stage = new Stage({ config, pods: [] })
  for (const name of HOSTS) {
    const { metadata, ...node } = readyNode(name, name[0]).object
    stage.putNode({ ...node, metadata: { ...metadata, creationTimestamp: '2025-12-31T00:00:00Z' } })
    stage.setLease({ node: name, renewTime: T0_MS }, false)
  }
  return stage
}

/** A host that beats also reports that it is ready, as an agent does once it was declared. */
function beat(stage: Stage, name: string): void {
  const node = stage.nodes.get(name)!.object
  stage.setLease({ node: name, renewTime: stage.nowMs }, false)
  const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: `${stage.nowMs}` } as const
  stage.putNode({ ...node, status: { conditions: [ready] } })
}

function tick(stage: Stage, beating: readonly string[], survives: number): void {
  stage.nowMs += PERIOD_MS
  for (const name of beating) beat(stage, name)
  const { actions } = decide(stage.world(), stage.nowMs, stage.settings)
  for (const action of actions.slice(0, survives)) {
    // Each step stands for one conditional write: after another has changed the node it is outrun.
    if ('node' in action && typeof action.node === 'object') {
      if (stage.nodes.get(action.node.key.name)?.version !== action.node.version) continue
    }
    stage.apply(action)
  }
}

const HEALING_TICKS = 60

function play({ stretches, survives }: Story, dies: boolean): Stage {
  const stage = newStage()
  let ticks = 0
  for (const stretch of stretches) {
    for (let i = 0; i < stretch.ticks; i++, ticks++) {
      const left = dies ? survives[ticks % survives.length]! : Number.POSITIVE_INFINITY
      tick(stage, stretch.beating, left)
      watch(stage, stretch.beating)
    }
  }
  const { beating } = stretches.at(-1)!
  for (let i = 0; i < HEALING_TICKS; i++) tick(stage, beating, Number.POSITIVE_INFINITY)
  return stage
}

const isUnknown = (stage: Stage, name: string) =>
  stage.nodes.get(name)?.object.status?.conditions?.[0]?.status === 'Unknown'
const noExecuteOn = (stage: Stage, name: string) =>
  (stage.nodes.get(name)?.object.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

/** What must hold after every tick, dead or alive. */
function watch(stage: Stage, beating: readonly string[]): void {
  for (const name of beating) expect(isUnknown(stage, name)).toBe(false)
  if (stage.fleet?.value.disruption !== 'entered') return
  expect(HOSTS.flatMap((name) => noExecuteOn(stage, name))).toEqual([])
}

const endOf = (stage: Stage) => ({
  disruption: stage.fleet?.value.disruption,
  zones: [...stage.zones].map(([key, { value }]) => [key, value.state, value.limiter.rate]).sort(),
  nodes: HOSTS.map((name) => [
    name,
    isUnknown(stage, name),
    noExecuteOn(stage, name).map(({ key }) => key),
  ]),
})

describe('a monitor that dies after any of its writes', () => {
  it('leaves the fleet where one that lives would have brought it', () => {
    fc.assert(
      fc.property(story, (story) => {
        expect(endOf(play(story, true))).toEqual(endOf(play(story, false)))
      }),
      { numRuns: 60 },
    )
  })
})
