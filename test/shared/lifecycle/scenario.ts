/** Plays the step language of the scenario vectors against the real monitor, see `stage.ts`. */
import { expect } from 'vitest'
import type { Pod, Taint } from '../../../shared/kube/objects.ts'
import { Stage } from './stage.ts'
import {
  conditionOf,
  nodeOf,
  type Scenario,
  type Step,
  seconds,
  type VectorNode,
  vectorCondition,
} from './vector-shapes.ts'

// biome-ignore lint/suspicious/noExplicitAny: checks name their fields, see the `about` of the files
export type Checks = Readonly<Record<string, any>>

export async function play(
  scenario: Scenario,
  checks: Readonly<Record<string, Checks>>,
): Promise<void> {
  const stage = new Stage(scenario)
  const boundLater = new Set(scenario.steps.map(({ pod }) => pod))
  await stage.addPods((name) => !boundLater.has(name))
  for (const step of scenario.steps) {
    if (step.op === 'check') await check(stage, checks[step.id ?? ''] ?? {})
    else await run(stage, step)
  }
}

async function run(stage: Stage, step: Step): Promise<void> {
  const play = STEPS[step.op]
  if (!play) throw new Error(`unknown step ${step.op}`)
  await play(stage, step)
}

const nodeIn = async (stage: Stage, { node }: Step) => (await stage.node(node as string))!.object

const STEPS: Readonly<Record<string, (stage: Stage, step: Step) => unknown>> = {
  clock: (stage, { at = 0 }) => {
    stage.seconds = at
  },
  putNode: (stage, { node }) => stage.putNode(nodeOf(node as VectorNode)),
  setConditions: async (stage, step) => {
    const conditions = (step.conditions ?? []).map(conditionOf)
    const node = await nodeIn(stage, step)
    await stage.putNode({ ...node, status: { ...node.status, conditions } })
  },
  setLabels: async (stage, step) => {
    const node = await nodeIn(stage, step)
    await stage.putNode({ ...node, metadata: { ...node.metadata, labels: step.labels ?? {} } })
  },
  deleteNode: (stage, { node }) => stage.deleteNode(node as string),
  setCachedLease: (stage, { lease }) => stage.setLease(lease!, false),
  setLiveLease: (stage, { lease }) => stage.setLease(lease!, true),
  monitor: (stage) => stage.tick(),
  taintPass: (stage) => stage.taintPass(),
  conditionTaintPass: (stage, { node }) => stage.reconcile(node as string),
  labelPass: (stage, { node }) => stage.reconcile(node as string),
  podAssigned: async (stage, { pod }) => {
    await stage.addPods((name) => name === pod)
    await stage.tick()
  },
  failNodeStatusWrites: (stage, { count = 0 }) => {
    stage.failing.nodes = count
  },
  failPodStatusWrites: (stage, { count = 0 }) => {
    stage.failing.pods = count
  },
  failPodLists: (stage, { count = 0 }) => {
    stage.failing.podList = count
  },
}

async function check(stage: Stage, checks: Checks): Promise<void> {
  for (const [field, wanted] of Object.entries(checks)) {
    const read = READERS[field]
    if (!read) throw new Error(`unknown check ${field}`)
    await read(stage, wanted)
  }
}

type Wanted = Readonly<Record<string, never>>

const taintsOf = async (stage: Stage, name: string) =>
  (await stage.node(name))?.object.spec?.taints ?? []
const sorted = (names: readonly string[]) => [...names].sort()

/** Kubernetes' private record has no counterpart here but the time of the last sign of life. */
const READERS: Readonly<Record<string, (stage: Stage, wanted: Wanted) => unknown>> = {
  zoneStates: async (stage, wanted) => {
    const counted = [...(await stage.records()).zones].filter(([, { value }]) => value.size > 0)
    expect(Object.fromEntries(counted.map(([key, { value }]) => [key, value.state]))).toEqual(
      wanted,
    )
  },
  conditions: async (stage, wanted) => {
    for (const [name, conditions] of Object.entries(wanted)) {
      const stored = (await stage.node(name))?.object.status?.conditions ?? []
      expect(stored.map(vectorCondition)).toEqual(conditions)
    }
  },
  statusWrites: (stage, wanted) => expect(stage.statusWrites('nodes')).toBe(wanted),
  podStatusWrites: (stage, wanted) => expect(stage.statusWrites('pods')).toBe(wanted),
  noExecute: async (stage, wanted) => {
    for (const [name, keys] of Object.entries(wanted)) {
      const taints = await taintsOf(stage, name)
      const found = taints.filter(({ effect }) => effect === 'NoExecute')
      expect(sorted(found.map(({ key }) => key))).toEqual(sorted(keys))
    }
  },
  taints: async (stage, wanted) => {
    const plain = ({ key, value = '', effect }: Taint) => `${key}=${value}:${effect}`
    for (const [name, taints] of Object.entries(wanted)) {
      expect(sorted((await taintsOf(stage, name)).map(plain))).toEqual(
        sorted((taints as Taint[]).map(plain)),
      )
    }
  },
  events: (stage, wanted) => {
    const told = stage.events.map(({ involvedObject: { kind, name }, type, reason, message }) => {
      return { kind, object: name, type, reason, message }
    })
    expect(told).toEqual((wanted as unknown as object[]).map((one) => expect.objectContaining(one)))
  },
  health: async (stage, wanted) => {
    for (const [name, health] of Object.entries(wanted)) {
      expect(seconds(await stage.lastSignMs(name))).toBe((health as { probe: number }).probe)
    }
  },
  queue: async (stage, wanted) => {
    const waiting = await stage.waiting()
    for (const [zone, names] of Object.entries(wanted)) {
      expect(sorted(waiting.get(zone) ?? [])).toEqual(sorted(names))
    }
  },
  limiterRate: async (stage, wanted) => {
    const { zones } = await stage.records()
    for (const [zone, rate] of Object.entries(wanted)) {
      expect(zones.get(zone)?.value.limiter.rate).toBe(rate)
    }
  },
  labels: async (stage, wanted) => {
    for (const [name, labels] of Object.entries(wanted)) {
      expect((await stage.node(name))?.object.metadata.labels ?? {}).toEqual(labels)
    }
  },
  podsReady: async (stage, wanted) => {
    for (const [name, ready] of Object.entries(wanted)) {
      const pod = (await stage.fleet.pod(name))?.object as Pod | undefined
      const found = pod?.status?.conditions?.find(({ type }) => type === 'Ready')
      expect(found?.status ?? '').toBe(ready)
    }
  },
  nodesToRetry: (stage, wanted) => {
    const owed = stage.fleet.session.podsByNode.bound()
    const left = new Set(owed.map(({ object }) => object.spec?.nodeName ?? ''))
    expect(sorted([...left])).toEqual(sorted(wanted as unknown as string[]))
  },
}
