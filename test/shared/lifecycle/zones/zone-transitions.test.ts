import { describe, expect, it } from 'vitest'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import { defaultSettings as settings } from '../../../../shared/lifecycle/settings.ts'
import type { Action, FleetRecord, World, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import { newZone } from '../../../../shared/lifecycle/zones/disruption.ts'
import { spend, stoppedLimiter } from '../../../../shared/lifecycle/zones/limiter.ts'
import { beatOf, calmFleet, readyNode, unknownNode, worldOf, zoneA } from '../fleet.ts'

const NOW_MS = 10_000_000
const ZONE_B = ':\u0000:b'
const stopped = stoppedLimiter(NOW_MS - 60_000)

const recorded = (more: Partial<ZoneRecord> = {}) => ({
  version: 7,
  value: { ...newZone(settings, 0), ...more },
})

function worldWith(
  nodes: Parameters<typeof worldOf>[0],
  zones: Readonly<Record<string, ReturnType<typeof recorded>>>,
  more: Partial<World> & { readonly disruption?: Partial<FleetRecord> } = {},
): World {
  const { disruption, ...rest } = more
  const value = { ...calmFleet, greetedThroughMs: NOW_MS, ...disruption }
  const beats = nodes.map(({ key }) => beatOf(key.name, NOW_MS))
  return worldOf(nodes, beats, {
    zones: new Map(Object.entries(zones)),
    fleet: { version: 3, value },
    ...rest,
  })
}

const actionsIn = (world: World, changed = {}) =>
  decide(world, NOW_MS, { ...settings, ...changed }).actions
const zoneIn = (world: World, changed = {}) => {
  const { zones } = decide(world, NOW_MS, { ...settings, ...changed })
  return zones.find(({ key }) => key === zoneA)!.record
}

describe('a zone that has no nodes any more', () => {
  const spent = spend(newZone(settings, 0).limiter, NOW_MS)

  it.each<{ when: string; zone: Partial<ZoneRecord>; more?: Partial<World>; done: object[] }>([
    {
      when: 'its bucket is full',
      zone: {},
      done: [{ do: 'dropZone', key: ZONE_B, believed: 7 }],
    },
    {
      when: 'its bucket is not full yet',
      zone: { limiter: spent },
      done: [],
    },
    {
      when: 'the observer is blind',
      zone: {},
      more: { visibility: { kind: 'blind', sinceMs: NOW_MS - 1, why: 'test' } },
      done: [],
    },
  ])('is forgotten when nothing is lost by it: $when', ({ zone, more, done }) => {
    const here = recorded({ state: 'Normal', size: 1 })
    const world = worldWith([readyNode('n1')], { [zoneA]: here, [ZONE_B]: recorded(zone) }, more)
    const drops = actionsIn(world).filter((action) => action.do === 'dropZone')
    expect(drops).toEqual(done)
  })
})

describe('what is held in a zone', () => {
  const ill = (name: string) => unknownNode(name, NOW_MS - 1_000)
  const down = { state: 'FullDisruption', size: 1, notReady: 1, limiter: stopped } as const
  const entered = { disruption: 'entered', disruptionSinceMs: 1 } as const

  it.each<{ when: string; zone: Partial<ZoneRecord>; disruption?: object; held: string[] }>([
    { when: 'all is well', zone: {}, held: [] },
    { when: 'the whole fleet is down', zone: down, disruption: entered, held: ['fleetDisrupted'] },
    {
      when: 'it was held for another reason before',
      zone: { ...down, held: ['zoneStopped'] },
      disruption: entered,
      held: ['fleetDisrupted'],
    },
  ])('is written down: $when', ({ zone, disruption = {}, held }) => {
    const nodes = disruption === entered ? [ill('n1')] : [readyNode('n1')]
    const world = worldWith(nodes, { [zoneA]: recorded(zone) }, { disruption })
    expect(zoneIn(world).held).toEqual(held)
  })

  it('is its stopped limiter, where only this zone is down', () => {
    const nodes = [...['n1', 'n2', 'n3'].map(ill), readyNode('n4'), readyNode('m1', 'b')]
    const world = worldWith(nodes, { [zoneA]: recorded() })
    expect(zoneIn(world)).toMatchObject({ state: 'PartialDisruption', held: ['zoneStopped'] })
  })

  it('is everything while it only observes', () => {
    const world = worldWith([readyNode('n1')], { [zoneA]: recorded() })
    expect(zoneIn(world, { observe: true }).held).toEqual(['observe'])
  })

  it('of a zone whose nodes do not count is nothing, also when the fleet is down', () => {
    const labels = { 'node.kubernetes.io/exclude-disruption': '' }
    const nodes = [readyNode('n1', 'a', { labels }), unknownNode('m1', NOW_MS - 1_000, 'b')]
    const zones = { [zoneA]: recorded(), [ZONE_B]: recorded({ ...down }) }
    expect(zoneIn(worldWith(nodes, zones, { disruption: entered })).held).toEqual([])
  })

  it('leaves the record alone when nothing changed', () => {
    const world = worldWith([readyNode('n1')], {
      [zoneA]: recorded({ state: 'Normal', size: 1, sinceMs: 5 }),
    })
    expect(actionsIn(world)).toEqual([])
  })
})

describe('entering a full disruption', () => {
  const entering = { disruption: 'entering', disruptionSinceMs: 1 } as const
  const down = { state: 'FullDisruption', size: 1, notReady: 1 } as const
  const fleetAfter = (actions: readonly Action[]) =>
    actions.flatMap((one) => (one.do === 'changeFleet' ? [one.fleet.next.disruption] : []))
  const heldDown = { ...down, limiter: stopped, held: ['fleetDisrupted'] } as const

  it.each<{ when: string; zone: Partial<ZoneRecord>; isTainted?: boolean; after: string[] }>([
    { when: 'all is stored', zone: heldDown, after: ['entered'] },
    { when: 'a limiter is not stored as stopped yet', zone: down, after: [] },
    { when: 'a taint is left', zone: heldDown, isTainted: true, after: [] },
  ])('is over when $when: $after', ({ zone, isTainted, after }) => {
    const { object, ...node } = unknownNode('n1', NOW_MS - 1_000)
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const
    const taints = [...object.spec!.taints!, ...(isTainted ? [taint] : [])]
    const ill = { ...node, object: { ...object, spec: { taints } } }
    const world = worldWith([ill], { [zoneA]: recorded(zone) }, { disruption: entering })
    expect(fleetAfter(actionsIn(world))).toEqual(after)
  })

  it('states the version of every record it changes, and none of a new one', () => {
    const nodes = [unknownNode('n1', NOW_MS - 1_000), unknownNode('m1', NOW_MS - 1_000, 'b')]
    const [enter] = actionsIn(worldWith(nodes, { [zoneA]: recorded() }))
    expect(enter).toMatchObject({ do: 'enterDisruption', fleet: { believed: 3 } })
    const zones = enter?.do === 'enterDisruption' ? enter.zones : []
    expect(zones.map(({ key, believed }) => [key, believed])).toEqual([
      [zoneA, 7],
      [ZONE_B, undefined],
    ])
  })
})
