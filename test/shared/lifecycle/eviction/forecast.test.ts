import { describe, expect, it } from 'vitest'
import { formatTime } from '../../../../shared/kube/time.ts'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import { withCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { forecast } from '../../../../shared/lifecycle/eviction/forecast.ts'
import { defaultSettings as settings } from '../../../../shared/lifecycle/settings.ts'
import { newZone } from '../../../../shared/lifecycle/zones/disruption.ts'
import { stoppedLimiter } from '../../../../shared/lifecycle/zones/limiter.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf, zoneA } from '../fleet.ts'

const NOW_MS = 10_000_000
const toleration = {
  key: 'node.kubernetes.io/unreachable',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}
const podsByNode = new Map([
  ['n1', [podOn('p', 'n1', { spec: { nodeName: 'n1', tolerations: [toleration] } })]],
])
const pod = { namespace: 'default', name: 'p' }

describe('what happens next', () => {
  it('to a host that just beat: Unknown after the grace, then settle, taint, eviction', () => {
    const world = worldOf([readyNode('n1')], [beatOf('n1', NOW_MS)], { podsByNode })
    const unknownMs = NOW_MS + 50_001
    const taintMs = unknownMs + 12_000
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'markUnknown', atMs: unknownMs },
      { what: 'taintNoExecute', atMs: taintMs },
      { what: 'evictPod', pod, atMs: taintMs + 300_000 },
    ])
  })

  it('is what the monitor does at that time, and not a millisecond before', () => {
    const world = worldOf([readyNode('n1')], [beatOf('n1', NOW_MS)])
    const atMs = forecast(world, 'n1', NOW_MS, settings)[0]?.atMs ?? 0
    expect(decide(world, atMs, settings).counts.marked).toBe(1)
    expect(decide(world, atMs - 1, settings).counts.marked).toBe(0)
  })

  it('to an Unknown host waits for its zone', () => {
    const limiter = { rate: 0.1, tokens: 0, refilledAtMs: NOW_MS, stopped: false }
    const value = { ...newZone(settings, 0), limiter }
    const zones = new Map([[zoneA, { version: 1, value }]])
    const world = worldOf([unknownNode('n1', NOW_MS - 60_000)], [], { zones })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'taintNoExecute', atMs: NOW_MS + 10_000 },
    ])
  })

  it.each([
    {
      when: 'evictions are paused',
      fleet: { stops: [{ fromMs: 0, why: 'x' }] },
      why: 'fleetPaused',
    },
    { when: 'the fleet is disrupted', fleet: { disruption: 'entered' }, why: 'fleetDisrupted' },
    { when: 'the observer is blind', fleet: { blind: [{ fromMs: 0, why: 'x' }] }, why: 'blind' },
  ])('has no time but a reason while $when', ({ fleet, why }) => {
    const value = { ...calmFleet, ...fleet } as typeof calmFleet
    const world = worldOf([unknownNode('n1', 0)], [], { fleet: { version: 1, value } })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'taintNoExecute', heldBy: why },
    ])
  })

  it('says that a stopped zone holds it', () => {
    const value = { ...newZone(settings, 0), limiter: stoppedLimiter(0) }
    const zones = new Map([[zoneA, { version: 1, value }]])
    const world = worldOf([unknownNode('n1', 0)], [], { zones })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'taintNoExecute', heldBy: 'zoneStopped' },
    ])
  })

  it('to a tainted host is only the eviction of its pods', () => {
    const { object, ...node } = unknownNode('n1', 0)
    const timeAdded = formatTime(NOW_MS - 100_000)
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded } as const
    const tainted = { ...node, object: { ...object, spec: { taints: [taint] } } }
    expect(forecast(worldOf([tainted], [], { podsByNode }), 'n1', NOW_MS, settings)).toEqual([
      { what: 'evictPod', pod, atMs: NOW_MS + 200_999 },
    ])
  })

  it('to a host that says itself that it is not ready is a taint now, and its kind', () => {
    const { object, ...node } = readyNode('n1')
    const status = { conditions: [{ type: 'Ready', status: 'False' as const }] }
    const ill = { ...node, object: { ...object, status } }
    const key = 'node.kubernetes.io/not-ready'
    const spec = { nodeName: 'n1', tolerations: [{ ...toleration, key }] }
    const pods = new Map([['n1', [podOn('p', 'n1', { spec })]]])
    const world = worldOf([ill], [beatOf('n1', NOW_MS)], { podsByNode: pods })
    expect(forecast(world, 'n1', NOW_MS, settings).slice(1)).toEqual([
      { what: 'taintNoExecute', atMs: NOW_MS },
      { what: 'evictPod', pod, atMs: NOW_MS + 300_000 },
    ])
    const swapped = {
      ...ill,
      object: { ...ill.object, spec: { taints: [{ key, effect: 'NoExecute' as const }] } },
    }
    const tainted = worldOf([swapped], [beatOf('n1', NOW_MS)])
    expect(forecast(tainted, 'n1', NOW_MS, settings).map(({ what }) => what)).toEqual([
      'markUnknown',
    ])
  })

  it('begins afresh when a full disruption was left', () => {
    const fleet = { version: 1, value: { ...calmFleet, floorMs: NOW_MS - 1_000 } }
    const world = worldOf([unknownNode('n1', NOW_MS - 60_000)], [], { fleet })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'taintNoExecute', atMs: NOW_MS + 11_000 },
    ])
  })

  it('while blind has neither a time for the mark nor for anything after it', () => {
    const fleet = { version: 1, value: { ...calmFleet, blind: [{ fromMs: NOW_MS - 1, why: 'x' }] } }
    const world = worldOf([readyNode('n1')], [beatOf('n1', NOW_MS)], { fleet, podsByNode })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'markUnknown', heldBy: 'blind' },
      { what: 'taintNoExecute', heldBy: 'blind' },
      { what: 'evictPod', pod, heldBy: 'blind' },
    ])
  })

  it('in a stopped zone holds the pods of a host without a taint too', () => {
    const value = { ...newZone(settings, 0), limiter: stoppedLimiter(0) }
    const zones = new Map([[zoneA, { version: 1, value }]])
    const world = worldOf([unknownNode('n1', 0)], [], { zones, podsByNode })
    expect(forecast(world, 'n1', NOW_MS, settings)).toEqual([
      { what: 'taintNoExecute', heldBy: 'zoneStopped' },
      { what: 'evictPod', pod, heldBy: 'zoneStopped' },
    ])
  })

  it('in observe mode holds the pods of a tainted host', () => {
    const { object, ...node } = unknownNode('n1', 0)
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const
    const tainted = { ...node, object: { ...object, spec: { taints: [taint] } } }
    const world = worldOf([tainted], [], { podsByNode })
    expect(forecast(world, 'n1', NOW_MS, { ...settings, observe: true })).toEqual([
      { what: 'evictPod', pod, heldBy: 'observe' },
    ])
  })

  it('has no time in observe mode, not even for the mark', () => {
    const world = worldOf([readyNode('n1')], [beatOf('n1', NOW_MS)])
    expect(forecast(world, 'n1', NOW_MS, { ...settings, observe: true })).toEqual([
      { what: 'markUnknown', heldBy: 'observe' },
      { what: 'taintNoExecute', heldBy: 'observe' },
    ])
  })

  describe('to a pod whose countdown runs', () => {
    const startedAtMs = NOW_MS - 100_000
    const dueAtMs = NOW_MS + 200_000
    const counting = podOn('p', 'n1', { spec: { nodeName: 'n1', tolerations: [toleration] } })
    const timeAdded = formatTime(startedAtMs)
    const taint = { key: 'node.kubernetes.io/unreachable', timeAdded }
    const effects = ['NoSchedule', 'NoExecute'] as const
    const taints = effects.map((effect) => ({ ...taint, effect }))
    const { object, ...node } = unknownNode('n1', 0)
    const tainted = { ...node, object: { ...object, spec: { taints } } }
    const whilePaused = (untilMs?: number) => {
      const pause = { fromMs: NOW_MS - 60_000, why: 'x', ...(untilMs && { untilMs }) }
      const written = {
        ...counting,
        object: withCountdown(counting.object, { startedAtMs, dueAtMs }),
      }
      // With one that lives: otherwise the whole fleet is down, and nobody is evicted.
      return worldOf([tainted, readyNode('n2')], [beatOf('n2', dueAtMs)], {
        podsByNode: new Map([['n1', [written]]]),
        fleet: { version: 1, value: { ...calmFleet, stops: [pause] } },
      })
    }

    it('waits for no silence when the taint is somebody’s own', () => {
      const { object: ready, ...rest } = readyNode('n1')
      const own = { key: 'example.com/leave', effect: 'NoExecute' as const, timeAdded }
      const leaving = { ...rest, object: { ...ready, spec: { taints: [own] } } }
      const tolerations = [{ ...toleration, key: own.key }]
      const { object: plain, ...known } = podOn('p', 'n1', {
        spec: { nodeName: 'n1', tolerations },
      })
      const written = {
        ...known,
        object: withCountdown(plain, { startedAtMs, dueAtMs: NOW_MS + 5_000 }),
      }
      const world = worldOf([leaving], [beatOf('n1', NOW_MS)], {
        podsByNode: new Map([['n1', [written]]]),
      })
      const [, , eviction] = forecast(world, 'n1', NOW_MS, settings)
      expect(eviction).toEqual({ what: 'evictPod', pod, atMs: NOW_MS + 5_000 })
    })

    it('says how much is left while evictions are paused', () => {
      expect(forecast(whilePaused(), 'n1', NOW_MS, settings)).toEqual([
        { what: 'evictPod', pod, heldBy: 'fleetPaused', leftMs: 260_000 },
      ])
    })

    it('comes later by as long as they were paused, as the monitor does it', () => {
      const world = whilePaused(NOW_MS - 20_000)
      const [{ atMs = 0 } = {}] = forecast(world, 'n1', NOW_MS, settings)
      expect(atMs).toBe(dueAtMs + 40_000)
      const evicts = (nowMs: number) =>
        decide(world, nowMs, settings).actions.some((action) => action.do === 'evictPod')
      expect([evicts(atMs - 1), evicts(atMs)]).toEqual([false, true])
    })
  })

  it('to an unknown name is nothing', () => {
    expect(forecast(worldOf([], []), 'n1', NOW_MS, settings)).toEqual([])
  })
})
