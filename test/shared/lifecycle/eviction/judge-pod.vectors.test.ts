import { describe, expect } from 'vitest'
import type { EvictionCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { fireAtMs } from '../../../../shared/lifecycle/eviction/judge-pod.ts'
import { casesOf, runCases } from '../vectors.ts'
import { evictionWorld, type GivenPod, type GivenTaint, type ToldEvent } from './eviction-world.ts'

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

type World = ReturnType<typeof evictionWorld>

describe('taint-eviction vectors', () => {
  const cases = casesOf<Timeline, Expected>('taint-eviction')
  runCases('taint-eviction', cases, ({ steps, until }, expected) => {
    const world = evictionWorld()
    for (const step of steps) {
      world.advance(step.at)
      take(step, world, expected)
    }
    world.advance(until)
    compare(world, expected)
  })
})

function take(step: Step, world: World, expected: Expected) {
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

function check(id: string, world: World, { scheduled, remembered }: Expected) {
  for (const [pod, wanted] of Object.entries(scheduled?.[id] ?? {})) {
    expect(world.isScheduled(pod), `${pod} is scheduled at ${id}`).toBe(wanted)
  }
  const nodes = remembered?.[id]
  if (nodes) expect(world.remembered().toSorted()).toEqual([...nodes].toSorted())
}

function compare({ seen }: World, expected: Expected) {
  for (const [pod, at] of Object.entries(expected.deletedAt ?? {})) {
    expect(seen.deletedAt.get(pod) ?? null, `${pod} is deleted at`).toBe(at)
  }
  for (const [pod, wanted] of Object.entries(expected.condition ?? {})) {
    expect(seen.condemned.has(pod), `${pod} carries the condition`).toBe(wanted)
  }
  for (const [pod, calls] of Object.entries(expected.deleteCalls ?? {})) {
    expect(seen.deleteCalls.get(pod) ?? 0, `deletes of ${pod}`).toBe(calls)
  }
  if (expected.events) expect(seen.events).toEqual(expected.events)
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
  runCases('timed-workers', cases, ({ ops }, { results }) => {
    const timers = timerTable()
    expect(ops.map(timers)).toEqual(results)
  })
})

/** Stored countdowns by key, as the annotations of pods are. */
function timerTable() {
  const table = new Map<string, EvictionCountdown>()
  let nowMs = 0

  function runDue(): string[] {
    const due = [...table].filter(([, one]) => fireAtMs(one, nowMs, () => 0) <= nowMs)
    for (const [key] of due) table.delete(key)
    return due.map(([key]) => key).toSorted()
  }

  return (step: TimerOp): unknown => {
    if (step.op === 'cancel') return table.delete(step.key)
    if (step.op === 'pending') return table.has(step.key)
    if (step.op === 'advance') nowMs = step.to * 1000
    else if (!table.has(step.key)) {
      const { createdAt, fireAt } = step
      table.set(step.key, { startedAtMs: createdAt * 1000, dueAtMs: fireAt * 1000 })
    }
    return runDue()
  }
}
