/** Plays the step language of the scenario vectors against the real `decide`. */
import { expect } from 'vitest'
import type { Taint } from '../../../shared/kube/objects.ts'
import { coreEvents } from '../../../shared/lifecycle/events/core-events.ts'
import { lastSignMs } from '../../../shared/lifecycle/liveness/health.ts'
import { planNode } from '../../../shared/lifecycle/liveness/node-plan.ts'
import { reconcileNoSchedule } from '../../../shared/lifecycle/taints/node-taints.ts'
import { knownNode } from './fleet.ts'
import { Stage } from './stage.ts'
import {
  atMs,
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

export function play(scenario: Scenario, checks: Readonly<Record<string, Checks>>): void {
  const stage = new Stage(scenario)
  for (const step of scenario.steps) {
    if (step.op === 'check') check(stage, checks[step.id ?? ''] ?? {})
    else run(stage, step)
  }
}

function run(stage: Stage, step: Step): void {
  const play = STEPS[step.op]
  if (!play) throw new Error(`unknown step ${step.op}`)
  play(stage, step)
}

const nodeIn = (stage: Stage, { node }: Step) => stage.nodes.get(node as string)!.object
/** Node events may come late: what is gone by then is left alone. */
const foundIn = (stage: Stage, { node }: Step) => stage.nodes.get(node as string)?.object

const STEPS: Readonly<Record<string, (stage: Stage, step: Step) => void>> = {
  clock: (stage, { at = 0 }) => {
    stage.nowMs = atMs(at)
  },
  putNode: (stage, { node }) => stage.putNode(nodeOf(node as VectorNode)),
  setConditions: (stage, step) => {
    const conditions = (step.conditions ?? []).map(conditionOf)
    const node = nodeIn(stage, step)
    stage.putNode({ ...node, status: { ...node.status, conditions } })
  },
  setLabels: (stage, step) => {
    const node = nodeIn(stage, step)
    stage.putNode({ ...node, metadata: { ...node.metadata, labels: step.labels ?? {} } })
  },
  deleteNode: (stage, { node }) => {
    const before = stage.nodes.get(node as string)
    if (before) stage.events.push(...coreEvents({ kind: 'object', before }, []))
    stage.nodes.delete(node as string)
  },
  setCachedLease: (stage, { lease }) => stage.setLease(lease!, false),
  setLiveLease: (stage, { lease }) => stage.setLease(lease!, true),
  monitor: (stage) => stage.monitor(),
  taintPass: (stage) => stage.taintPass(),
  conditionTaintPass: (stage, step) => {
    const node = foundIn(stage, step)
    if (!node) return
    stage.putNode({
      ...node,
      spec: { ...node.spec, taints: reconcileNoSchedule(node, stage.nowMs) },
    })
  },
  labelPass: (stage, step) => {
    const node = foundIn(stage, step)
    const seen = { current: undefined, isNew: false, maySwap: false, nowMs: stage.nowMs }
    const labels = node && planNode(knownNode(node), seen, undefined, 0)?.labels
    if (labels) stage.putNode({ ...node, metadata: { ...node.metadata, labels } })
  },
  podAssigned: (stage, { pod }) => stage.bind(stage.pods.get(pod!)!),
  failNodeStatusWrites: (stage, { count = 0 }) => {
    stage.failing.nodeStatus = count
  },
  failPodStatusWrites: (stage, { count = 0 }) => {
    stage.failing.podStatus = count
  },
  failPodLists: (stage, { count = 0 }) => {
    stage.failing.podList = count
  },
}

function check(stage: Stage, checks: Checks): void {
  for (const [field, wanted] of Object.entries(checks)) {
    const read = READERS[field]
    if (!read) throw new Error(`unknown check ${field}`)
    read(stage, wanted)
  }
}

type Wanted = Readonly<Record<string, never>>

const taintsOf = (stage: Stage, name: string) => stage.nodes.get(name)?.object.spec?.taints ?? []
const sorted = (names: readonly string[]) => [...names].sort()

/** Kubernetes' private record has no counterpart here but the time of the last sign of life. */
const READERS: Readonly<Record<string, (stage: Stage, wanted: Wanted) => void>> = {
  zoneStates: (stage, wanted) => {
    const counted = [...stage.zones].filter(([, { value }]) => value.size > 0)
    expect(Object.fromEntries(counted.map(([key, { value }]) => [key, value.state]))).toEqual(
      wanted,
    )
  },
  conditions: (stage, wanted) => {
    for (const [name, conditions] of Object.entries(wanted)) {
      const stored = stage.nodes.get(name)?.object.status?.conditions ?? []
      expect(stored.map(vectorCondition)).toEqual(conditions)
    }
  },
  statusWrites: (stage, wanted) => expect(stage.statusWrites).toBe(wanted),
  podStatusWrites: (stage, wanted) => expect(stage.podStatusWrites).toBe(wanted),
  noExecute: (stage, wanted) => {
    for (const [name, keys] of Object.entries(wanted)) {
      const found = taintsOf(stage, name).filter(({ effect }) => effect === 'NoExecute')
      expect(sorted(found.map(({ key }) => key))).toEqual(sorted(keys))
    }
  },
  taints: (stage, wanted) => {
    const plain = ({ key, value = '', effect }: Taint) => `${key}=${value}:${effect}`
    for (const [name, taints] of Object.entries(wanted)) {
      expect(sorted(taintsOf(stage, name).map(plain))).toEqual(
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
  health: (stage, wanted) => {
    for (const [name, health] of Object.entries(wanted)) {
      const node = stage.nodes.get(name)!
      const floorMs = stage.fleet?.value.floorMs ?? 0
      const signMs = lastSignMs(node, stage.beats.get(name), floorMs)
      expect(seconds(signMs)).toBe((health as { probe: number }).probe)
    }
  },
  queue: (stage, wanted) => {
    for (const [zone, names] of Object.entries(wanted)) {
      expect(sorted(stage.waiting.get(zone) ?? [])).toEqual(sorted(names))
    }
  },
  limiterRate: (stage, wanted) => {
    for (const [zone, rate] of Object.entries(wanted)) {
      expect(stage.zones.get(zone)?.value.limiter.rate).toBe(rate)
    }
  },
  labels: (stage, wanted) => {
    for (const [name, labels] of Object.entries(wanted)) {
      expect(stage.nodes.get(name)?.object.metadata.labels ?? {}).toEqual(labels)
    }
  },
  podsReady: (stage, wanted) => {
    for (const [name, ready] of Object.entries(wanted)) {
      const conditions = stage.pods.get(name)?.object.status?.conditions ?? []
      expect(conditions.find(({ type }) => type === 'Ready')?.status ?? '').toBe(ready)
    }
  },
  nodesToRetry: (stage, wanted) => {
    const left = new Set(stage.owed.map(({ object }) => object.spec?.nodeName ?? ''))
    expect(sorted([...left])).toEqual(sorted(wanted as unknown as string[]))
  },
}
