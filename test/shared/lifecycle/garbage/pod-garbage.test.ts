import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConditionStatus, Node, Pod, Taint } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import {
  findGarbage,
  type GarbageRound,
  type Quarantine,
  quarantine,
} from '../../../../shared/lifecycle/garbage/pod-garbage.ts'
import { casesOf, runCases } from '../vectors.ts'

const T0 = Date.UTC(2024, 0, 1)

interface GivenPod {
  readonly name: string
  readonly node: string
  readonly phase: string
  readonly reason?: string
  /** Seconds from the start of the world. */
  readonly createdAt?: number
  readonly terminating?: boolean
}

type GivenNode =
  | string
  | { name: string; ready?: ConditionStatus | ''; taints?: readonly Taint[] | null }

interface Step {
  readonly op: string
  readonly at?: number
  readonly node?: GivenNode
  readonly pod?: GivenPod
  readonly count?: number
  readonly id?: string
}

interface Check {
  readonly deleted?: readonly string[]
  readonly patched?: readonly string[]
  readonly disruptionTarget?: readonly string[]
  readonly phases?: Readonly<Record<string, string>>
}

describe('pod-gc vectors', () => {
  type Given = { readonly threshold: number; readonly steps: readonly Step[] }
  const cases = casesOf<Given, { checks: Readonly<Record<string, Check>> }>('pod-gc')
  runCases('pod-gc', cases, ({ threshold, steps }, { checks }) => {
    const world = garbageWorld(threshold)
    for (const step of steps) {
      if (step.op === 'check') compare(world.seen, checks[step.id ?? ''] ?? {})
      else world.take(step)
    }
  })
})

function garbageWorld(terminatedPodThreshold: number) {
  const cached = new Map<string, Node>()
  const live = new Set<string>()
  const pods = new Map<string, Pod>()
  const seen = { deleted: new Set<string>(), patched: new Set<string>(), pods }
  let stored: Quarantine = {}
  let nowMs = T0
  const failing = { nodeReads: 0, podPatches: 0 }

  const fails = (what: keyof typeof failing) => {
    if (failing[what] === 0) return false
    failing[what] -= 1
    return true
  }

  function collect() {
    const snapshot = { pods: [...pods.values()], nodes: [...cached.values()], nowMs }
    const { suspects, ...next } = quarantine({ ...snapshot, quarantine: stored })
    stored = next.quarantine
    const goneNodes = new Set(suspects.filter((name) => !fails('nodeReads') && !live.has(name)))
    for (const one of findGarbage({ ...snapshot, goneNodes, terminatedPodThreshold })) {
      const name = one.pod.metadata.name!
      if (one.patched && fails('podPatches')) continue
      if (one.patched) {
        seen.patched.add(name)
        pods.set(name, one.patched)
      }
      seen.deleted.add(name)
    }
  }

  function take({ op, at = 0, node = '', pod, count = 0 }: Step) {
    const name = typeof node === 'string' ? node : node.name
    if (op === 'clock') nowMs = T0 + at * 1000
    else if (op === 'cacheNode') cached.set(name, kubelet(node))
    else if (op === 'uncacheNode') cached.delete(name)
    else if (op === 'liveNode') live.add(name)
    else if (op === 'unliveNode') live.delete(name)
    else if (op === 'putPod' && pod) pods.set(pod.name, toPod(pod))
    else if (op === 'failNodeReads') failing.nodeReads = count
    else if (op === 'failPodPatches') failing.podPatches = count
    else if (op === 'gc') collect()
    else throw new Error(`no such step: ${op}`)
  }

  return { take, seen }
}

function compare(seen: ReturnType<typeof garbageWorld>['seen'], wanted: Check) {
  const target = ({ status }: Pod) =>
    status?.conditions?.some(
      ({ type, status, reason }) =>
        type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByPodGC',
    )
  const targets = [...seen.pods].filter(([, pod]) => target(pod)).map(([name]) => name)

  // Kubernetes deletes side by side, so these are sets.
  if (wanted.deleted) expect([...seen.deleted].sort()).toEqual([...wanted.deleted].sort())
  if (wanted.patched) expect([...seen.patched].sort()).toEqual([...wanted.patched].sort())
  if (wanted.disruptionTarget) {
    expect(targets.sort()).toEqual([...wanted.disruptionTarget].sort())
  }
  for (const [name, phase] of Object.entries(wanted.phases ?? {})) {
    expect(seen.pods.get(name)?.status?.phase).toBe(phase)
  }
}

function toNode(given: GivenNode): Node {
  if (typeof given === 'string') return { metadata: { name: given } }
  const { name, ready, taints } = given
  const conditions = ready ? [{ type: 'Ready', status: ready }] : []
  return { metadata: { name }, spec: { taints: taints ?? [] }, status: { conditions } }
}

/** A kubelet confirms the end of its pods, as our agent does where it runs some. */
function kubelet(given: GivenNode): Node {
  const node = toNode(given)
  const annotations = { 'agent.leasehold.dev/pods': 'true' }
  return { ...node, metadata: { ...node.metadata, annotations } }
}

function toPod({ name, node, phase, reason, createdAt = 0, terminating }: GivenPod): Pod {
  return {
    metadata: {
      name,
      namespace: 'default',
      creationTimestamp: formatTime(T0 + createdAt * 1000),
      ...(terminating && { deletionTimestamp: formatTime(T0) }),
    },
    spec: { nodeName: node },
    status: { phase, reason },
  }
}

const round = (one: Partial<GarbageRound>): GarbageRound => ({
  pods: [],
  nodes: [],
  goneNodes: new Set(),
  nowMs: T0,
  terminatedPodThreshold: 0,
  ...one,
})

describe('hosts that cannot confirm', () => {
  const leaving = toPod({ name: 'p', node: 'n1', phase: 'Running', terminating: true })
  const host = (ready: ConditionStatus, runsPods?: string): Node => ({
    ...toNode({ name: 'n1', ready }),
    metadata: {
      name: 'n1',
      ...(runsPods && { annotations: { 'agent.leasehold.dev/pods': runsPods } }),
    },
  })

  it.each([
    { when: 'grace and half a minute are over', node: host('True'), afterMs: 30_000, found: 1 },
    { when: 'half a minute is not over', node: host('True'), afterMs: 29_999, found: 0 },
    { when: 'the host says it runs pods', node: host('True', 'true'), afterMs: 90_000, found: 0 },
    { when: 'the host says it runs none', node: host('True', 'false'), afterMs: 30_000, found: 1 },
    { when: 'the host is silent', node: host('Unknown'), afterMs: 90_000, found: 0 },
  ])('$when: $found found', ({ node, afterMs, found }) => {
    const garbage = findGarbage(round({ pods: [leaving], nodes: [node], nowMs: T0 + afterMs }))
    expect(garbage.map(({ reason }) => reason)).toEqual(Array(found).fill('unconfirmed'))
  })

  it('leaves a pod that nobody asked to end', () => {
    const pods = [toPod({ name: 'p', node: 'n1', phase: 'Running' })]
    const nodes = [host('True')]
    expect(findGarbage(round({ pods, nodes, nowMs: T0 + 1e9 }))).toEqual([])
  })
})

describe('the patch before a deletion', () => {
  it('says what generation was seen, and that the node is gone', () => {
    const pod: Pod = { metadata: { name: 'p', generation: 7 }, spec: { nodeName: 'gone' } }
    const [one] = findGarbage(round({ pods: [pod], goneNodes: new Set(['gone']) }))
    expect(one).toMatchObject({
      reason: 'orphaned',
      patched: {
        status: {
          phase: 'Failed',
          observedGeneration: 7,
          conditions: [
            {
              type: 'DisruptionTarget',
              status: 'True',
              reason: 'DeletionByPodGC',
              message: 'PodGC: node no longer exists',
              lastTransitionTime: formatTime(T0),
            },
          ],
        },
      },
    })
  })
})

describe('quarantine', () => {
  it('never pushes an earlier deadline back, and forgets nodes nobody refers to', () => {
    const pods = [toPod({ name: 'p', node: 'missing', phase: 'Running' })]
    const stored = { missing: T0 + 5_000, other: T0 - 1 }
    const result = quarantine({ pods, nodes: [], quarantine: stored, nowMs: T0 })
    expect(result).toEqual({ quarantine: { missing: T0 + 5_000 }, suspects: ['other'] })
  })
})

describe('laws', () => {
  const anyPod = fc.record({
    name: fc.string({ minLength: 1, maxLength: 3 }),
    node: fc.constantFrom('', 'healthy', 'gone'),
    phase: fc.constantFrom('Pending', 'Running', 'Unknown', 'Succeeded', 'Failed', ''),
    createdAt: fc.nat(1_000),
    terminating: fc.boolean(),
  })
  const healthy: Node = {
    metadata: { name: 'healthy', annotations: { 'agent.leasehold.dev/pods': 'true' } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }

  it('never takes an unfinished pod from a present, healthy node that confirms', () => {
    fc.assert(
      fc.property(fc.array(anyPod), fc.integer({ min: -1, max: 3 }), (given, threshold) => {
        const pods = given.map(toPod)
        const goneNodes = new Set(['gone'])
        const asked = round({
          pods,
          nodes: [healthy],
          goneNodes,
          terminatedPodThreshold: threshold,
        })
        const garbage = findGarbage({ ...asked, nowMs: T0 + 1e9 })
        const taken = garbage.filter(({ pod }) => pod.spec?.nodeName === 'healthy')
        expect(taken.every(({ reason }) => reason === 'terminated')).toBe(true)
      }),
    )
  })

  it('suspects nobody before forty seconds, and never a node that is there', () => {
    fc.assert(
      fc.property(fc.array(anyPod), fc.nat(80_000), (given, laterMs) => {
        const seen = { pods: given.map(toPod), nodes: [healthy] }
        const first = quarantine({ ...seen, quarantine: {}, nowMs: T0 })
        const then = quarantine({ ...seen, quarantine: first.quarantine, nowMs: T0 + laterMs })
        expect(first.suspects).toEqual([])
        const isGoneUsed = given.some(({ node }) => node === 'gone')
        expect(then.suspects).toEqual(laterMs >= 40_000 && isGoneUsed ? ['gone'] : [])
      }),
    )
  })
})
