import { describe, expect } from 'vitest'
import { casesOf, runCases } from '../vectors.ts'
import {
  type EvictionWorld,
  evictionWorld,
  type GivenPod,
  type GivenTaint,
  type ToldEvent,
} from './eviction-world.ts'

type Step = { readonly at: number } & (
  | { readonly op: 'putNode'; readonly node: { name: string; taints: readonly GivenTaint[] } }
  | { readonly op: 'deleteNode'; readonly node: string }
  | { readonly op: 'putPod'; readonly pod: GivenPod }
  | { readonly op: 'deletePod'; readonly pod: string }
  | { readonly op: 'restart' }
  | { readonly op: 'failDeletes'; readonly count: number }
  | { readonly op: 'check'; readonly id: string }
)

interface Timeline {
  readonly steps: readonly Step[]
  readonly until: number
}

interface Expected {
  readonly deletedAt?: Readonly<Record<string, number | null>>
  readonly condition?: Readonly<Record<string, boolean>>
  readonly events?: readonly ToldEvent[]
  readonly scheduled?: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  readonly remembered?: Readonly<Record<string, readonly string[]>>
  readonly deleteCalls?: Readonly<Record<string, number>>
}

describe('taint-eviction vectors', () => {
  const cases = casesOf<Timeline, Expected>('taint-eviction')
  runCases('taint-eviction', cases, async ({ steps, until }, expected) => {
    const world = await evictionWorld()
    for (const step of steps) {
      await world.advance(step.at)
      await take(step, world, expected)
    }
    await world.advance(until)
    compare(world, expected)
  })
})

function take(step: Step, world: EvictionWorld, expected: Expected) {
  switch (step.op) {
    case 'putNode':
      return world.putNode(step.node.name, step.node.taints)
    case 'deleteNode':
      return world.deleteNode(step.node)
    case 'putPod':
      return world.putPod(step.pod)
    case 'deletePod':
      return world.deletePod(step.pod)
    case 'restart':
      return world.restart()
    case 'failDeletes':
      return world.failDeletes(step.count)
    case 'check':
      return check(step.id, world, expected)
    default:
      throw new Error(`no such step: ${JSON.stringify(step)}`)
  }
}

async function check(id: string, world: EvictionWorld, { scheduled, remembered }: Expected) {
  for (const [pod, wanted] of Object.entries(scheduled?.[id] ?? {})) {
    expect(await world.isScheduled(pod), `${pod} is scheduled at ${id}`).toBe(wanted)
  }
  const nodes = remembered?.[id]
  if (nodes) expect((await world.remembered()).toSorted()).toEqual([...nodes].toSorted())
}

function compare(world: EvictionWorld, expected: Expected) {
  const { deletedAt, condemned, deleteCalls, events } = world
  for (const [pod, at] of Object.entries(expected.deletedAt ?? {})) {
    expect(deletedAt.get(pod) ?? null, `${pod} is deleted at`).toBe(at)
  }
  for (const [pod, wanted] of Object.entries(expected.condition ?? {})) {
    expect(condemned.has(pod), `${pod} carries the condition`).toBe(wanted)
  }
  for (const [pod, calls] of Object.entries(expected.deleteCalls ?? {})) {
    expect(deleteCalls.get(pod) ?? 0, `deletes of ${pod}`).toBe(calls)
  }
  if (expected.events) expect(events).toEqual(expected.events)
}

type TimerOp =
  | {
      readonly op: 'add'
      readonly key: string
      readonly createdAt: number
      readonly fireAt: number
    }
  | { readonly op: 'cancel'; readonly key: string }
  | { readonly op: 'pending'; readonly key: string }
  | { readonly op: 'advance'; readonly to: number }

describe('timed-workers vectors', () => {
  type Given = { readonly ops: readonly TimerOp[] }
  const cases = casesOf<Given, { results: unknown[] }>('timed-workers')
  runCases('timed-workers', cases, async ({ ops }, { results }) => {
    const timer = timers(await evictionWorld())
    const got: unknown[] = []
    for (const op of ops) got.push(await timer(op))
    expect(got).toEqual(results)
  })
})

/** A timer is a pod that tolerates the taint of its node for so long; what ran is evicted. */
function timers(world: EvictionWorld) {
  const ran = new Set<string>()
  const run = () => {
    const now = [...world.deletedAt.keys()].filter((pod) => !ran.has(pod))
    for (const pod of now) ran.add(pod)
    return now.map((pod) => pod.split('.')[0]!).toSorted()
  }
  /** Once its pod is evicted a key stands for another pod. */
  const podOf = (key: string) =>
    `${key}.${[...ran].filter((pod) => pod.startsWith(`${key}.`)).length}`
  const nodeOf = (key: string) => `node-${key}`

  return async (step: TimerOp): Promise<unknown> => {
    if (step.op === 'advance') {
      await world.advance(step.to)
      return run()
    }
    const { key } = step
    const wasPending = await world.isScheduled(podOf(key))
    if (step.op === 'pending') return wasPending
    if (step.op === 'cancel') {
      await world.putNode(nodeOf(key), [])
      return wasPending && !(await world.isScheduled(podOf(key)))
    }
    const { createdAt, fireAt } = step
    await world.advance(createdAt)
    await world.putNode(nodeOf(key), [{ key: 'timer', effect: 'NoExecute', timeAdded: createdAt }])
    const tolerationSeconds = fireAt - createdAt
    const tolerations = [{ key: 'timer', operator: 'Exists', tolerationSeconds }]
    await world.putPod({ name: podOf(key), node: nodeOf(key), tolerations })
    return run()
  }
}
