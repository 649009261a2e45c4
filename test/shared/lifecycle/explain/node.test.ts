/** What an operator is told about one host at night, beyond the golden texts. */
import { describe, expect, it } from 'vitest'
import type { Toleration } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { explainer } from '../../../../shared/lifecycle/explain/explain.ts'
import { defaultSettings, type Settings } from '../../../../shared/lifecycle/settings.ts'
import type { KnownNode, World } from '../../../../shared/lifecycle/world.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf } from '../fleet.ts'

const T = 1_800_000_000_000
const UNREACHABLE = 'node.kubernetes.io/unreachable'
const others = ['n2', 'n3'].map((name) => readyNode(name))
const beats = others.map(({ key }) => beatOf(key.name, T))

const explain = (node: KnownNode, more: Partial<World> = {}, settings: Partial<Settings> = {}) => {
  const world = worldOf([node, ...others], [beatOf('n1', T - 110_000), ...beats], more)
  return explainer(world, T, { ...defaultSettings, ...settings }).node('n1')
}
const withBeat = (receivedAtMs: number, holderIdentity = 'n1') => ({
  beats: new Map([
    ['n1', { ...beatOf('n1', receivedAtMs), holderIdentity }],
    ...beats.map((beat) => [beat.name, beat] as const),
  ]),
})

function tainted(key = UNREACHABLE): KnownNode {
  const node = unknownNode('n1', T - 60_000)
  const taint = { key, effect: 'NoExecute', timeAdded: formatTime(T - 20_000) } as const
  const taints = [...(node.object.spec?.taints ?? []), taint]
  return { ...node, object: { ...node.object, spec: { ...node.object.spec, taints } } }
}
const podsTolerating = (...tolerations: Toleration[]) => {
  const pod = podOn('web', 'n1', { spec: { nodeName: 'n1', tolerations } })
  return { podsByNode: new Map([['n1', [pod]]]) }
}
const forSeconds = (tolerationSeconds: number): Toleration => ({
  key: UNREACHABLE,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
})
const forever: Toleration = { operator: 'Exists' }

describe('a host with a NoExecute taint', () => {
  it('has pods that leave, the first of them at a known time', () => {
    expect(explain(tainted(), podsTolerating(forSeconds(300)))).toMatchObject({
      atMs: T - 20_000,
      what: 'NoExecute: its pods leave',
      rule: 'toleration',
      undoneBy: 'any beat',
      next: expect.stringMatching(/^web leaves .*; 1 pods are here$/),
      nextAtMs: T + 280_999,
      isCalm: false,
    })
  })

  it('tells of the pod that leaves first, however they are listed', () => {
    const pod = (name: string, seconds: number) =>
      podOn(name, 'n1', { spec: { nodeName: 'n1', tolerations: [forSeconds(seconds)] } })
    const pods = [pod('late', 300), pod('early', 100), pod('later', 400)]
    for (const its of [pods, pods.toReversed()]) {
      const found = explain(tainted(), { podsByNode: new Map([['n1', its]]) })
      expect(found).toMatchObject({ next: expect.stringMatching(/^early /), nextAtMs: T + 80_999 })
    }
  })

  it('has pods that are kept by a pause', () => {
    const value = { ...calmFleet, stops: [{ fromMs: T - 1_000, why: 'upgrade' }] }
    const paused = { ...podsTolerating(forSeconds(300)), fleet: { version: 1, value } }
    expect(explain(tainted(), paused)).toMatchObject({
      what: 'NoExecute; evictions withheld',
      rule: 'paused',
    })
  })

  it.each([
    { when: 'it has none', pods: {}, next: 'nothing; it has no pods' },
    { when: 'they tolerate it', pods: podsTolerating(forever), next: 'nothing; its pods stay' },
  ])('has no pod that leaves when $when', ({ pods, next }) => {
    const found = explain(tainted(), pods)
    expect(found).toMatchObject({ next })
    expect(found).not.toHaveProperty('nextAtMs')
  })

  it('has to say itself that it is ready when it said that it was not', () => {
    const { object, ...node } = tainted('node.kubernetes.io/not-ready')
    const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady' } as const
    const ill = { ...node, object: { ...object, status: { conditions: [ready] } } }
    expect(explain(ill, withBeat(T))?.undoneBy).toBe('the host reporting that it is ready')
  })
})

describe('a host that is away on purpose', () => {
  const leaving = (node: KnownNode): KnownNode => {
    const spec = { ...node.object.spec, unschedulable: true }
    return { ...node, object: { ...node.object, spec } }
  }
  const until = formatTime(T + 60_000)
  const inMaintenance = { annotations: { 'leasehold.dev/maintenance-until': until } }

  it('left: that is no trouble', () => {
    const found = explain(leaving(unknownNode('n1', T - 60_000)), withBeat(T - 110_000, ''))
    expect(found).toMatchObject({ what: 'left', rule: 'departed', isCalm: true })
    expect(found).toHaveProperty('next')
  })

  it('left and is tainted: nothing more comes', () => {
    expect(explain(leaving(tainted()), withBeat(T - 110_000, ''))).not.toHaveProperty('next')
  })

  it('has released its lease and is still Ready: it has not left yet', () => {
    const found = explain(leaving(readyNode('n1')), withBeat(T - 1_000, ''))
    expect(found).toMatchObject({ what: 'Ready', rule: 'healthy' })
  })

  it('is in maintenance and Ready: that is no trouble', () => {
    expect(explain(readyNode('n1', 'a', inMaintenance), withBeat(T))).toMatchObject({
      what: 'in maintenance, Ready',
      nextAtMs: T + 60_000,
      isCalm: true,
    })
  })

  it('is judged as usual from the announced moment on', () => {
    const over = { annotations: { 'leasehold.dev/maintenance-until': formatTime(T) } }
    expect(explain(readyNode('n1', 'a', over), withBeat(T))?.rule).toBe('healthy')
  })
})

describe('a host that is not marked', () => {
  it.each([
    { when: 'it beat one and a half intervals ago', silentMs: 15_000, what: 'Ready' },
    { when: 'a moment more', silentMs: 15_001, what: 'late' },
    { when: 'its grace is over', silentMs: 50_001, what: 'late' },
  ])('is $what when $when', ({ silentMs, what }) => {
    expect(explain(readyNode('n1'), withBeat(T - silentMs))?.what).toBe(what)
  })

  it('is marked at its deadline, or at once when that has passed', () => {
    expect(explain(readyNode('n1'), withBeat(T - 20_000))?.nextAtMs).toBe(T + 30_000)
    expect(explain(readyNode('n1'), withBeat(T - 90_000))?.nextAtMs).toBe(T)
  })

  it.each([
    { when: 'its grace is over', silentMs: 50_001, rule: 'observe', isCalm: false },
    { when: 'its grace is just not over', silentMs: 50_000, rule: 'silence', isCalm: false },
    { when: 'it beats', silentMs: 1_000, rule: 'healthy', isCalm: true },
  ])('is explained by $rule in observe mode when $when', ({ silentMs, rule, isCalm }) => {
    const found = explain(readyNode('n1'), withBeat(T - silentMs), { observe: true })
    expect(found).toMatchObject({ rule, isCalm })
  })

  it('is not judged while the monitor is blind, and that is trouble', () => {
    const value = { ...calmFleet, blind: [{ fromMs: T - 9_000, why: 'the canary beat fails' }] }
    const found = explain(readyNode('n1'), { fleet: { version: 1, value } })
    expect(found).toMatchObject({ what: 'not judged', rule: 'blind', isCalm: false })
    expect(found?.because[0]).toMatch(/^the canary beat fails since /)
  })
})

describe('the last sign of a host', () => {
  const created = { creationTimestamp: formatTime(T - 5_000) }
  it.each([
    { when: 'a beat', node: readyNode('n1'), beatMs: T - 1_000, kind: 'lease beat' },
    {
      when: 'a status',
      node: { ...readyNode('n1'), receivedAtMs: T - 1_000 },
      beatMs: T - 9_000,
      kind: 'status',
    },
    { when: 'its creation', node: readyNode('n1', 'a', created), beatMs: 0, kind: 'creation' },
  ])('is named when it was $when', ({ node, beatMs, kind }) => {
    expect(explain(node, withBeat(beatMs))?.because[0]).toContain(`(${kind}, `)
  })

  it('is named when it was the end of a disruption', () => {
    const value = { ...calmFleet, floorMs: T - 2_000 }
    const found = explain(readyNode('n1'), { ...withBeat(0), fleet: { version: 1, value } })
    expect(found?.because[0]).toContain('(end of the fleet disruption, ')
  })
})

describe('a host that waits for its taint', () => {
  it('is held by what holds its own zone, not another', () => {
    const zoneB = ':\u0000:b'
    const stops = [{ fromMs: T - 9_000, why: 'upgrade' }]
    const far = { ...unknownNode('n1', T - 60_000), key: { namespace: '', name: 'n1' } }
    const near = unknownNode('x1', T - 60_000, 'b')
    const value = { state: 'Normal', sinceMs: 0, size: 1, notReady: 1, held: [], stops } as const
    const limiter = { rate: 0.1, tokens: 1, refilledAtMs: 0, stopped: false }
    const zones = new Map([[zoneB, { version: 1, value: { ...value, limiter } }]])
    const world = worldOf([far, near, ...others], beats, { zones })
    const one = explainer(world, T, defaultSettings)
    expect(one.node('x1')?.rule).toBe('paused')
    expect(one.node('n1')?.rule).not.toBe('paused')
  })

  it('is told of a pause of the fleet', () => {
    const value = { ...calmFleet, stops: [{ fromMs: T - 9_000, why: 'upgrade' }] }
    const found = explain(unknownNode('n1', T - 60_000), { fleet: { version: 1, value } })
    expect(found).toMatchObject({ rule: 'paused', isCalm: false })
    expect(found?.because.at(-1)).toMatch(/^paused since .*: upgrade$/)
  })

  it('is told of observe mode where nothing else holds it', () => {
    const found = explain(unknownNode('n1', T - 60_000), {}, { observe: true })
    expect(found).toMatchObject({ rule: 'observe', what: 'marked Unknown; NoExecute withheld' })
  })
})
