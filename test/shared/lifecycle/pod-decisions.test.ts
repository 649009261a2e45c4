import { describe, expect, it } from 'vitest'
import { formatTime } from '../../../shared/kube/time.ts'
import { decide } from '../../../shared/lifecycle/decide.ts'
import { defaultSettings as settings } from '../../../shared/lifecycle/settings.ts'
import type { Action, KnownPod, World } from '../../../shared/lifecycle/world.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf } from './fleet.ts'

const NOW_MS = 10_000_000
const DAY = '1970-01-02T00:00:00Z'

/** A tainted host beside one that is well. */
function world(taintedAtMs: number, pod: KnownPod, more: Partial<World> = {}, until = ''): World {
  const { object, ...node } = unknownNode('n1', taintedAtMs - 12_000)
  const noExecute = {
    key: 'node.kubernetes.io/unreachable',
    effect: 'NoExecute',
    timeAdded: formatTime(taintedAtMs),
  } as const
  const taints = [...(object.spec?.taints ?? []), noExecute]
  const annotations = { 'leasehold.dev/maintenance-until': until }
  const metadata = { ...object.metadata, annotations }
  const tainted = { ...node, object: { ...object, metadata, spec: { taints } } }
  const podsByNode = new Map([['n1', [pod]]])
  const beats = [beatOf('n1', taintedAtMs - 62_001), beatOf('n2', NOW_MS)]
  return worldOf([tainted, readyNode('n2')], beats, { podsByNode, ...more })
}

function patient(seconds: number): KnownPod {
  const toleration = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }
  return podOn('p', 'n1', { spec: { nodeName: 'n1', tolerations: [toleration] } })
}

const about = (of: World) =>
  decide(of, NOW_MS, settings).actions.filter((action) => /evictPod|PodDue/.test(action.do))
const whats = (actions: readonly Action[]) => actions.map((action) => action.do)

describe('an eviction', () => {
  it('comes at once for a pod that tolerates nothing, and states pod and node', () => {
    expect(about(world(NOW_MS - 5_000, podOn('p', 'n1')))).toMatchObject([
      {
        do: 'evictPod',
        pod: { key: { name: 'p' }, version: 1 },
        node: { key: { name: 'n1' }, version: 1 },
        outcome: 'terminating',
        events: [{ reason: 'TaintManagerEviction' }],
      },
    ])
  })

  it('is written down as due while the pod still tolerates', () => {
    expect(whats(about(world(NOW_MS - 5_000, patient(300))))).toEqual(['setPodDue'])
  })

  it('counts no time during which people had stopped evictions', () => {
    const stops = [{ fromMs: NOW_MS - 200_000, untilMs: NOW_MS - 50_000, why: 'upgrade' }]
    const fleet = { version: 1, value: { ...calmFleet, stops } }
    expect(whats(about(world(NOW_MS - 310_000, patient(300))))).toEqual(['evictPod'])
    expect(whats(about(world(NOW_MS - 310_000, patient(300), { fleet })))).toEqual(['setPodDue'])
  })

  it.each([
    { when: 'the fleet is paused', fleet: { stops: [{ fromMs: NOW_MS, why: 'x' }] }, until: '' },
    { when: 'the node is in maintenance', fleet: {}, until: DAY },
  ])('is held while $when', ({ fleet, until }) => {
    const value = { ...calmFleet, ...fleet }
    const held = world(NOW_MS - 5_000, podOn('p', 'n1'), { fleet: { version: 1, value } }, until)
    expect(about(held)).toEqual([])
    expect(decide(held, NOW_MS, settings).holds).toContainEqual(
      expect.objectContaining({ what: 'evict', node: 'n1' }),
    )
  })

  it('is held while the observer is blind', () => {
    const signs = { canaryFailingSinceMs: NOW_MS }
    expect(about(world(NOW_MS - 5_000, podOn('p', 'n1'), { signs }))).toEqual([])
  })
})

describe('pods of a silent host', () => {
  const silent = [beatOf('n1', NOW_MS - 60_000), beatOf('n2', NOW_MS)]
  const podsByNode = new Map([['n1', [podOn('p', 'n1')]]])
  const marks = (of: World) =>
    decide(of, NOW_MS, settings).actions.filter((one) => one.do === 'markPodsNotReady')

  it('are marked with it, if the mark succeeds', () => {
    const of = worldOf([readyNode('n1'), readyNode('n2')], silent, { podsByNode })
    expect(marks(of)).toMatchObject([{ node: 'n1', onlyIfMarked: true, pods: [{}] }])
  })

  it('are marked later by whoever comes after a crash', () => {
    const nodes = [unknownNode('n1', NOW_MS - 9_000), readyNode('n2')]
    expect(marks(worldOf(nodes, silent, { podsByNode }))).toMatchObject([{ onlyIfMarked: false }])
  })

  it('are left alone once it beats again', () => {
    const nodes = [unknownNode('n1', NOW_MS - 9_000), readyNode('n2')]
    const beats = [beatOf('n1', NOW_MS), beatOf('n2', NOW_MS)]
    expect(marks(worldOf(nodes, beats, { podsByNode }))).toEqual([])
  })
})
