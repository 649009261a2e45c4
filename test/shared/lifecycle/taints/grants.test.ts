import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import { defaultSettings, type Settings } from '../../../../shared/lifecycle/settings.ts'
import type { World, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import { newZone } from '../../../../shared/lifecycle/zones/disruption.ts'
import { beatOf, calmFleet, readyNode, unknownNode, worldOf, zoneA } from '../fleet.ts'

const NOW_MS = 10_000_000
const ill = ['n1', 'n2']

/** Two Unknown nodes among many that are well, declared at an instant. */
function world(
  declaredAtMs: number,
  zone: Partial<ZoneRecord> = {},
  more: Partial<World> = {},
): World {
  const well = Array.from({ length: 8 }, (_, i) => readyNode(`w${i}`))
  const nodes = [...ill.map((name) => unknownNode(name, declaredAtMs)), ...well]
  const beats = [
    ...ill.map((name) => ({ ...beatOf(name, declaredAtMs - 50_001), declaredAtMs })),
    ...well.map(({ key }) => beatOf(key.name, NOW_MS)),
  ]
  const value = { ...newZone(defaultSettings, 0), state: 'Normal', ...zone } as const
  return worldOf(nodes, beats, { zones: new Map([[zoneA, { version: 7, value }]]), ...more })
}

function tainted(of: World, nowMs = NOW_MS, settings: Settings = defaultSettings): string[] {
  const { actions } = decide(of, nowMs, settings)
  return actions.flatMap((one) => (one.do === 'taintNoExecute' ? [one.node.key.name] : []))
}

describe('a first NoExecute taint', () => {
  it('waits until the node has settled', () => {
    expect(tainted(world(NOW_MS - 11_999))).toEqual([])
    expect(tainted(world(NOW_MS - 12_000))).toEqual(['n1'])
  })

  it('comes one at a time, as the bucket allows, and is paid for in the same step', () => {
    const { actions } = decide(world(NOW_MS - 20_000), NOW_MS, defaultSettings)
    const taints = actions.filter((one) => one.do === 'taintNoExecute')
    expect(taints).toMatchObject([
      {
        node: { key: { name: 'n1' } },
        zone: { key: zoneA, believed: 7, next: { limiter: { tokens: 0 } } },
        next: {
          spec: { taints: [{}, { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }] },
        },
      },
    ])
  })

  it.each([
    {
      when: 'the fleet is paused',
      fleet: { stops: [{ fromMs: 0, why: 'x' }] },
      zone: {},
      why: 'fleetPaused',
    },
    {
      when: 'the zone is paused',
      fleet: {},
      zone: { stops: [{ fromMs: 0, why: 'x' }] },
      why: 'zonePaused',
    },
  ])('is held and says so while $when', ({ fleet, zone, why }) => {
    const value = { ...calmFleet, ...fleet }
    const paused = world(NOW_MS - 20_000, zone, { fleet: { version: 1, value } })
    expect(tainted(paused)).toEqual([])
    const { holds, zones } = decide(paused, NOW_MS, defaultSettings)
    expect(holds).toContainEqual({ what: 'taint', why, zone: zoneA })
    expect(zones[0]?.record.held).toEqual([why])
  })

  it('is held for a node in maintenance, which keeps nobody else waiting', () => {
    const of = world(NOW_MS - 20_000)
    const first = of.nodes.get('n1')!
    const annotations = { 'leasehold.dev/maintenance-until': '1970-01-02T00:00:00Z' }
    const metadata = { ...first.object.metadata, annotations }
    const kept = { ...first, object: { ...first.object, metadata } }
    expect(tainted({ ...of, nodes: new Map([...of.nodes, ['n1', kept]]) })).toEqual(['n2'])
  })

  it('goes first to the node that has been Unknown the longest, then by name', () => {
    const of = world(NOW_MS - 20_000)
    const older = unknownNode('n2', NOW_MS - 30_000)
    const beat = { ...beatOf('n2', NOW_MS - 90_000), declaredAtMs: NOW_MS - 30_000 }
    const aged = {
      ...of,
      nodes: new Map([...of.nodes, ['n2', older]]),
      beats: new Map([...of.beats, ['n2', beat]]),
    }
    expect(tainted(aged)).toEqual(['n2', 'n1'])
    const turned = { ...of, nodes: new Map([...of.nodes].reverse()) }
    expect(tainted(turned)).toEqual(['n1'])
  })

  // An operator reads these to learn why a host is not evicted, and when it will be.
  it.each([
    {
      when: 'it settles',
      declaredAtMs: NOW_MS - 2_000,
      zone: {},
      held: [
        { node: 'n1', why: 'settling', ahead: 0, untilMs: NOW_MS + 10_000 },
        { node: 'n2', why: 'settling', ahead: 1, untilMs: NOW_MS + 20_000 },
      ],
    },
    {
      when: 'another comes first',
      declaredAtMs: NOW_MS - 20_000,
      zone: {},
      held: [{ node: 'n2', why: 'waitingForToken', ahead: 0, untilMs: NOW_MS + 2_000 }],
    },
  ])('says what a node waits for when $when', ({ declaredAtMs, zone, held }) => {
    const { holds } = decide(world(declaredAtMs, zone), NOW_MS, defaultSettings)
    expect(holds).toEqual(held.map((one) => ({ what: 'taint', zone: zoneA, ...one })))
  })

  it('names no time when the zone is stopped', () => {
    const frozen = { ...defaultSettings, nodeEvictionRate: 0 }
    const { holds } = decide(world(NOW_MS - 20_000), NOW_MS, frozen)
    expect(holds).toEqual(
      ill.map((node, ahead) => ({ what: 'taint', why: 'zoneStopped', zone: zoneA, node, ahead })),
    )
  })

  it('is not caught up on after the monitor was away: at most two periods count', () => {
    const fast = { ...defaultSettings, nodeEvictionRate: 0.2, nodeMonitorPeriodMs: 5_000 }
    const many = Array.from({ length: 40 }, (_, i) => unknownNode(`m${i}`, NOW_MS - 3_600_000))
    const well = Array.from({ length: 60 }, (_, i) => readyNode(`w${i}`))
    const beats = well.map(({ key }) => beatOf(key.name, NOW_MS))
    expect(tainted(worldOf([...many, ...well], beats), NOW_MS, fast)).toHaveLength(1)
    const value = { ...newZone(fast, NOW_MS - 3_600_000), state: 'Normal' } as const
    const zones = new Map([[zoneA, { version: 1, value }]])
    expect(tainted(worldOf([...many, ...well], beats, { zones }), NOW_MS, fast)).toHaveLength(3)
  })

  it('never comes faster than rate and catch-up allow, however ticks are spaced', () => {
    const settings = { ...defaultSettings, nodeEvictionSettleMs: 0, nodeEvictionRate: 0.5 }
    const gapsMs = fc.array(fc.nat({ max: 30_000 }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(gapsMs, (gapsMs) => {
        const grants: number[] = []
        let of = world(0)
        let nowMs = NOW_MS
        for (const gapMs of gapsMs) {
          nowMs += gapMs
          const { actions } = decide(of, nowMs, settings)
          for (const one of actions) {
            if (one.do === 'zoneChanged') of = withZone(of, one.zone.next)
            // The node itself is left as it is, so that somebody always waits.
            if (one.do !== 'taintNoExecute') continue
            grants.push(nowMs)
            of = withZone(of, one.zone.next)
          }
        }
        const allowed = (from: number, to: number) => 1 + ((to - from + 10_000) / 1000) * 0.5
        const breaches = grants.flatMap((from, i) =>
          grants.slice(i).filter((to, more) => more + 1 > allowed(from, to) + 1e-6),
        )
        expect(breaches).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

function withZone(of: World, value: ZoneRecord): World {
  return { ...of, zones: new Map([[zoneA, { version: 1, value }]]) }
}

it('where no node waits nothing is held, whatever is paused', () => {
  const fleet = { version: 1, value: { ...calmFleet, stops: [{ fromMs: 0, why: 'upgrade' }] } }
  const well = worldOf([readyNode('w1')], [beatOf('w1', NOW_MS)], { fleet })
  expect(decide(well, NOW_MS, defaultSettings).holds).toEqual([])
})
