import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConditionStatus, Node, Pod } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import {
  findGarbage,
  type GarbageRound,
  quarantine,
} from '../../../../shared/lifecycle/garbage/pod-garbage.ts'
import { T0 } from '../../../functions/monitor/small-fleet.ts'
import { casesOf, runCases } from '../vectors.ts'
import { GarbageWorld, type Step, toNode, toPod } from './garbage-world.ts'

interface Check {
  readonly deleted?: readonly string[]
  readonly patched?: readonly string[]
  readonly disruptionTarget?: readonly string[]
  readonly phases?: Readonly<Record<string, string>>
}

describe('pod-gc vectors', () => {
  type Given = { readonly threshold: number; readonly steps: readonly Step[] }
  const cases = casesOf<Given, { checks: Readonly<Record<string, Check>> }>('pod-gc')
  runCases('pod-gc', cases, async ({ threshold, steps }, { checks }) => {
    const world = new GarbageWorld(threshold)
    for (const step of steps) {
      if (step.op === 'check') compare(world, checks[step.id ?? ''] ?? {})
      else await world.take(step)
    }
  })
})

function compare(world: GarbageWorld, wanted: Check) {
  const isTarget = ({ status }: Pod) =>
    status?.conditions?.some(
      ({ type, status, reason }) =>
        type === 'DisruptionTarget' && status === 'True' && reason === 'DeletionByPodGC',
    )
  const targets = [...world.patched].filter(([, pod]) => isTarget(pod)).map(([name]) => name)

  // Kubernetes deletes side by side, so these are sets.
  if (wanted.deleted) expect([...world.deleted].sort()).toEqual([...wanted.deleted].sort())
  if (wanted.patched) expect([...world.patched.keys()].sort()).toEqual([...wanted.patched].sort())
  if (wanted.disruptionTarget) {
    expect(targets.sort()).toEqual([...wanted.disruptionTarget].sort())
  }
  for (const [name, phase] of Object.entries(wanted.phases ?? {})) {
    expect(world.patched.get(name)?.status?.phase).toBe(phase)
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
  it('is none for a node that is there: one that goes later serves all of it', () => {
    const pods = [toPod({ name: 'p', node: 'n1', phase: 'Running' })]
    const nodes = [toNode('n1')]
    expect(quarantine({ pods, nodes, quarantine: {}, nowMs: T0 })).toEqual({
      quarantine: {},
      suspects: [],
    })
  })

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

describe('of more finished pods than may stay', () => {
  const finished = (name: string, createdAt: number) =>
    toPod({ name, node: 'n1', phase: 'Succeeded', createdAt })
  const surplus = (pods: readonly Pod[]) =>
    findGarbage(round({ pods, terminatedPodThreshold: 1 })).map(({ pod }) => pod.metadata.name)

  it('the oldest go, whatever they are called', () => {
    expect(surplus([finished('b', 2), finished('a', 3), finished('c', 1)])).toEqual(['c', 'b'])
  })

  it.each([['abc'], ['acb'], ['bac'], ['bca'], ['cab'], ['cba']])(
    'of the same age the first by name go, in whatever order they are read: %s',
    (names) => {
      expect(surplus([...names].map((name) => finished(name, 1)))).toEqual(['a', 'b'])
    },
  )

  it('each is told once, with the first reason', () => {
    const pods = [finished('a', 1), finished('b', 2)]
    const asked = round({ pods, goneNodes: new Set(['n1']), terminatedPodThreshold: 1 })
    const found = findGarbage(asked).map(({ pod, reason }) => [pod.metadata.name, reason])
    expect(found).toEqual([
      ['a', 'terminated'],
      ['b', 'orphaned'],
    ])
  })
})

describe('a pod that is ending', () => {
  const leaving = toPod({ name: 'p', node: 'n1', phase: 'Running', terminating: true })
  const outOfService = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' } as const

  it.each([
    { when: 'Ready', ready: 'True' as const, taints: [outOfService], found: 0 },
    { when: 'not Ready', ready: 'False' as const, taints: [outOfService], found: 1 },
    { when: 'not Ready and in service', ready: 'False' as const, taints: [], found: 0 },
  ])('is taken from a host out of service: $when, $found', ({ ready, taints, found }) => {
    const node = toNode({ name: 'n1', ready, taints })
    expect(findGarbage(round({ pods: [leaving], nodes: [node] }))).toHaveLength(found)
  })

  it('stays on a host that has never been tainted', () => {
    const nodes = [{ metadata: { name: 'n1' } }]
    expect(findGarbage(round({ pods: [leaving], nodes }))).toEqual([])
  })
})
