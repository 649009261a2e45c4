import { describe, expect, it } from 'vitest'
import { formatMicroTime, formatTime } from '../../../../shared/kube/time.ts'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import { withCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { podsToMark } from '../../../../shared/lifecycle/eviction/pod-decisions.ts'
import { judgeVisibility } from '../../../../shared/lifecycle/liveness/visibility.ts'
import { defaultSettings as settings } from '../../../../shared/lifecycle/settings.ts'
import type { Action, KnownPod, World } from '../../../../shared/lifecycle/world.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf } from '../fleet.ts'

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
        emits: ['MarkingForDeletion'],
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
    const visibility = judgeVisibility({ canaryFailingSinceMs: NOW_MS }, 50_000, NOW_MS)
    expect(about(world(NOW_MS - 5_000, podOn('p', 'n1'), { visibility }))).toEqual([])
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

describe('a countdown', () => {
  const counting = (pod: KnownPod, sinceMs: number, atMs: number): KnownPod => {
    const time = (ms: number) => formatMicroTime(ms * 1_000)
    const annotations = {
      'leasehold.dev/evict-since': time(sinceMs),
      'leasehold.dev/evict-at': time(atMs),
    }
    const metadata = { ...pod.object.metadata, annotations }
    return { ...pod, object: { ...pod.object, metadata } }
  }

  it('is taken off a pod whose host is well again, and off no other pod', () => {
    const pods = [counting(patient(300), NOW_MS - 9_000, NOW_MS + 9_000), podOn('q', 'n2')]
    const beats = [beatOf('n1', NOW_MS), beatOf('n2', NOW_MS)]
    const podsByNode = new Map([['n1', [pods[1]!, pods[0]!]]])
    const actions = about(worldOf([readyNode('n1'), readyNode('n2')], beats, { podsByNode }))
    expect(actions).toMatchObject([{ do: 'cancelPodDue', change: { pod: { key: { name: 'p' } } } }])
  })

  it('that is written down already costs no second write', () => {
    const sinceMs = NOW_MS - 5_000
    expect(about(world(sinceMs, counting(patient(300), sinceMs, sinceMs + 300_000)))).toEqual([])
  })

  it('is not begun while the observer is blind', () => {
    const visibility = judgeVisibility({ canaryFailingSinceMs: NOW_MS }, 50_000, NOW_MS)
    expect(about(world(NOW_MS - 5_000, patient(300), { visibility }))).toEqual([])
  })

  // Between ticks the monitor looks again just then; a missing entry is an eviction five seconds late.
  it.each([
    { leftMs: 4_999, due: [{ atMs: NOW_MS + 4_999, node: 'n1', what: 'evict' }] },
    { leftMs: 5_000, due: [] },
  ])('that ends in $leftMs ms is due before the next tick or not', ({ leftMs, due }) => {
    const atMs = NOW_MS + leftMs
    const pod = counting(patient(300), atMs - 300_000, atMs)
    const { due: found } = decide(world(atMs - 300_000, pod), NOW_MS, settings)
    expect(found.filter(({ what }) => what === 'evict')).toEqual(due)
  })
})

describe('a pod whose host is gone', () => {
  const counting = (dueAtMs: number): KnownPod => {
    const { object, ...pod } = patient(300)
    const started = { startedAtMs: NOW_MS - 300_000, dueAtMs }
    return { ...pod, object: withCountdown(object, started) }
  }
  const without = (pod: KnownPod, more: Partial<World> = {}) =>
    worldOf([readyNode('n2')], [beatOf('n2', NOW_MS)], {
      podsByNode: new Map([['n1', [pod]]]),
      ...more,
    })

  it('leaves when its time is up, and states no node', () => {
    const [eviction] = about(without(counting(NOW_MS)))
    expect(eviction).toMatchObject({ do: 'evictPod', pod: { key: { name: 'p' } } })
    expect(eviction).not.toHaveProperty('node')
  })

  it('is held by a pause of the whole fleet', () => {
    const fleet = { version: 1, value: { ...calmFleet, stops: [{ fromMs: NOW_MS - 1, why: 'x' }] } }
    const { holds, actions } = decide(without(counting(NOW_MS - 5), { fleet }), NOW_MS, settings)
    expect(actions.filter(({ do: what }) => what === 'evictPod')).toEqual([])
    expect(holds).toContainEqual({ what: 'evict', why: 'fleetPaused', zone: '' })
  })

  it('stays when nothing has begun to count', () => {
    expect(about(without(podOn('p', 'n1')))).toEqual([])
  })
})

describe('a host whose taints are about to change', () => {
  it('keeps its pods until that is written', () => {
    const back = world(NOW_MS - 5_000, podOn('p', 'n1'))
    const { object, ...node } = back.nodes.get('n1')!
    const conditions = [{ type: 'Ready', status: 'True' as const }]
    const well = { ...node, object: { ...object, status: { conditions } } }
    const nodes = new Map([...back.nodes, ['n1', well]])
    const beats = new Map([...back.beats, ['n1', beatOf('n1', NOW_MS)]])
    expect(about({ ...back, nodes, beats })).toEqual([])
  })

  it('of NoSchedule only evicts nobody', () => {
    const plain = world(NOW_MS - 5_000, podOn('p', 'n1'))
    const { object, ...node } = plain.nodes.get('n1')!
    const taints = object.spec!.taints!.filter(({ effect }) => effect === 'NoSchedule')
    const nodes = new Map([
      ...plain.nodes,
      ['n1', { ...node, object: { ...object, spec: { taints } } }],
    ])
    expect(about({ ...plain, nodes })).toEqual([])
  })
})

describe('a pod that is marked not ready', () => {
  const marked = (generation?: number) => {
    const { object } = podOn('p', 'n1')
    const status = { conditions: [{ type: 'Ready', status: 'True' as const }] }
    const metadata = { ...object.metadata, ...(generation && { generation }) }
    const known = { ...podOn('p', 'n1'), object: { ...object, metadata, status } }
    return podsToMark([known], NOW_MS)[0]?.next.status
  }

  it('says which generation of it was seen, if it has one', () => {
    expect(marked(4)).toMatchObject({
      observedGeneration: 4,
      conditions: [{ observedGeneration: 4 }],
    })
    expect(marked()).not.toHaveProperty('observedGeneration')
  })
})
