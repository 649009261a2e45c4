import { describe, expect, it } from 'vitest'
import { decide, decideDue } from '../../../shared/lifecycle/decide.ts'
import {
  type HealthSignals,
  judgeVisibility,
} from '../../../shared/lifecycle/liveness/visibility.ts'
import { defaultSettings as settings } from '../../../shared/lifecycle/settings.ts'
import type { Action, World } from '../../../shared/lifecycle/world.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf, zoneA } from './fleet.ts'
import { type Checks, play } from './scenario.ts'
import type { Scenario } from './vector-shapes.ts'
import { type Case, casesOf, runCases } from './vectors.ts'

const files = [
  'monitor-node-health',
  'pods-not-ready',
  'noexecute-taints',
  'noschedule-taints',
  'zone-disruption',
]

type Expected = { readonly checks: Readonly<Record<string, Checks>> }

/** Kubernetes remembers its queues and we derive them: what else a case says is held to by itself. */
function queuesApart(one: Case<Scenario, Expected>): readonly Case<Scenario, Expected>[] {
  const checks = Object.entries(one.expect.checks)
  if (!checks.some(([, { queue }]) => queue)) return [one]
  const rest = checks.map(([id, { queue: _, ...others }]) => [id, others] as const)
  const queues = checks.map(([id, { queue }]) => [id, queue ? { queue } : {}] as const)
  return [
    { ...one, expect: { checks: Object.fromEntries(rest) } },
    { ...one, name: `${one.name} (queue)`, expect: { checks: Object.fromEntries(queues) } },
  ]
}

describe.each(files)('%s vectors', (file) => {
  const cases = casesOf<Scenario, Expected>(file).flatMap(queuesApart)
  runCases(file, cases, (scenario, { checks }) => play(scenario, checks))
})

const NOW_MS = 10_000_000
const silentMs = NOW_MS - 60_000
const done = (world: World, changed = {}) =>
  decide(world, NOW_MS, { ...settings, ...changed }).actions.map((action) => action.do)

/** Two healthy zones around one silent host. */
function oneSilent(more: Partial<World> = {}): World {
  const nodes = ['n1', 'n2', 'n3'].map((name) => readyNode(name))
  const beats = [beatOf('n1', silentMs), beatOf('n2', NOW_MS), beatOf('n3', NOW_MS)]
  return worldOf(nodes, beats, more)
}

/** What a tick wrote, as the next one reads it: nothing is left to do but what time brings. */
function settled(world: World): World {
  const { zones } = decide(world, NOW_MS, settings)
  const stored = zones.map(({ key, record }) => [key, { version: 2, value: record }] as const)
  const value = { ...calmFleet, greetedThroughMs: NOW_MS }
  return { ...world, zones: new Map(stored), fleet: { version: 2, value } }
}

describe('a decision', () => {
  it('asks for nothing when everybody is well', () => {
    const nodes = ['n1', 'n2'].map((name) => readyNode(name))
    const world = settled(
      worldOf(
        nodes,
        nodes.map(({ key }) => beatOf(key.name, NOW_MS)),
      ),
    )
    expect(done(world)).toEqual([])
  })

  it('marks conditions and NoSchedule taint in one write that states the lease it judged', () => {
    const mark = decide(oneSilent(), NOW_MS, settings).actions.find(isMark)
    expect(mark).toMatchObject({
      node: { key: { name: 'n1' }, version: 1 },
      lease: { version: 1 },
      deadlineMs: silentMs + 50_000,
      next: { spec: { taints: [{ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' }] } },
      emits: ['NodeNotReady', expect.stringContaining('silent 60 s, grace 50 s, blind 0 s')],
    })
  })

  it('names the hosts that fall due before the next tick, earliest first', () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => readyNode(name))
    const beats = [47_000, 49_000, 10_000].map((age, i) => beatOf(`n${i + 1}`, NOW_MS - age))
    expect(decide(worldOf(nodes, beats), NOW_MS, settings).due).toEqual([
      { atMs: NOW_MS + 1_001, node: 'n2', what: 'unknown' },
      { atMs: NOW_MS + 3_001, node: 'n1', what: 'unknown' },
    ])
  })

  it('between ticks marks only whom it was asked about', () => {
    expect(decideDue(oneSilent(), ['n1', 'n2'], NOW_MS, settings).map((one) => one.do)).toEqual([
      'markUnknown',
    ])
    expect(decideDue(oneSilent(), ['n2'], NOW_MS, settings)).toEqual([])
  })

  it('between ticks marks the pods of the host it marks, if that mark succeeds', () => {
    const podsByNode = new Map([['n1', [podOn('p', 'n1')]]])
    expect(decideDue(oneSilent({ podsByNode }), ['n1'], NOW_MS, settings)).toMatchObject([
      { do: 'markUnknown' },
      { do: 'markPodsNotReady', node: 'n1', onlyIfMarked: true },
    ])
  })

  it('between ticks passes over a host that has just been deleted', () => {
    expect(decideDue(oneSilent(), ['gone'], NOW_MS, settings)).toEqual([])
  })

  it('between ticks changes nothing in observe mode', () => {
    expect(decideDue(oneSilent(), ['n1'], NOW_MS, { ...settings, observe: true })).toEqual([])
  })

  it.each([
    { when: 'somebody is up', others: [readyNode('n3')], evicted: 1 },
    { when: 'the last one falls', others: [], evicted: 0 },
    { when: 'only who does not count is up', others: [excluded('n3')], evicted: 0 },
  ])('between ticks evicts $evicted when $when', ({ others, evicted }) => {
    const nodes = [tainted('n1'), readyNode('n2')]
    const podsByNode = new Map([['n1', [podOn('p', 'n1')]]])
    const world = worldOf(nodes, [beatOf('n2', silentMs)], { podsByNode })
    const everyNode = [...nodes, ...others]
    const actions = decideDue({ ...world, everyNode }, ['n1', 'n2'], NOW_MS, settings)
    expect(actions.filter((action) => action.do === 'evictPod')).toHaveLength(evicted)
    expect(actions.filter(isMark)).toHaveLength(1)
  })
})

const excluded = (name: string) =>
  readyNode(name, 'a', { labels: { 'node.kubernetes.io/exclude-disruption': '' } })

function tainted(name: string) {
  const { object, ...node } = unknownNode(name, silentMs)
  const timeAdded = '1970-01-01T02:00:00Z'
  const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded } as const
  return { ...node, object: { ...object, spec: { taints: [...object.spec!.taints!, taint] } } }
}

describe('a taint of the other kind', () => {
  const open = [{ fromMs: silentMs, why: 'test' }]
  const until = '1970-01-01T03:00:00Z'
  const annotations = { 'leasehold.dev/maintenance-until': until }

  it.each([
    { when: 'nothing is held', value: calmFleet, extra: {}, why: ['noSchedule', 'swap'] },
    {
      when: 'evictions are paused',
      value: { ...calmFleet, stops: open },
      extra: {},
      why: ['noSchedule'],
    },
    {
      when: 'the node is in maintenance',
      value: calmFleet,
      extra: { annotations },
      why: ['noSchedule'],
    },
  ])('replaces the first where it may: $when', ({ value, extra, why }) => {
    const { object, ...node } = tainted('n1')
    const metadata = { ...object.metadata, ...extra }
    const status = { conditions: [{ type: 'Ready', status: 'False' } as const] }
    const ill = { ...node, object: { ...object, metadata, status } }
    const beats = [beatOf('n1', NOW_MS), beatOf('n2', NOW_MS)]
    const world = worldOf([ill, readyNode('n2')], beats, { fleet: { version: 1, value } })
    const { actions } = decide(world, NOW_MS, settings)
    expect(actions.find((action) => action.do === 'updateNode')).toMatchObject({ why })
  })
})

const isMark = (action: Action) => action.do === 'markUnknown'

const seenWith = (signals: HealthSignals) =>
  judgeVisibility(signals, settings.nodeMonitorGracePeriodMs, NOW_MS)

describe('while the observer is blind', () => {
  const visibility = seenWith({ canaryFailingSinceMs: NOW_MS - 20_000 })

  it('nobody is marked, and the stretch is written down', () => {
    const { actions } = decide(settled(oneSilent({ visibility })), NOW_MS, settings)
    expect(actions.map((action) => action.do)).toContain('changeFleet')
    expect(actions.some(isMark)).toBe(false)
  })

  it('hosts that are back lose their taints', () => {
    const node = readyNode('n1')
    const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const
    const tainted = { ...node, object: { ...node.object, spec: { taints: [unreachable] } } }
    const { actions } = decide(
      worldOf([tainted], [beatOf('n1', NOW_MS)], { visibility }),
      NOW_MS,
      settings,
    )
    expect(actions.find(({ do: what }) => what === 'updateNode')).toMatchObject({
      why: ['reachable'],
    })
  })

  it('no full disruption is entered or left', () => {
    const down = [unknownNode('n1', silentMs)]
    expect(done(worldOf(down, [], { visibility }))).not.toContain('enterDisruption')
    const fleet = { version: 1, value: { ...calmFleet, disruption: 'entered' as const } }
    expect(done(worldOf([readyNode('n1')], [], { visibility, fleet }))).not.toContain(
      'leaveDisruption',
    )
  })

  it('a doubtful clock writes no time down', () => {
    expect(done(oneSilent({ visibility: seenWith({ skewMs: 3_000 }) }))).toEqual([])
  })

  it('a doubtful clock does not end the stretch either', () => {
    const value = { ...calmFleet, blind: [{ fromMs: NOW_MS - 9_000, why: 'test' }] }
    const doubtful = seenWith({ skewMs: 3_000 })
    expect(done(oneSilent({ visibility: doubtful, fleet: { version: 1, value } }))).toEqual([])
  })

  it('silence does not count: the deadline moves by exactly the blind stretch', () => {
    const blind = [{ fromMs: silentMs + 10_000, untilMs: silentMs + 25_000, why: 'test' }]
    const fleet = { version: 1, value: { ...calmFleet, blind } }
    const world = oneSilent({ fleet })
    const marksAt = (atMs: number) => decide(world, atMs, settings).actions.some(isMark)
    expect(marksAt(silentMs + 65_000)).toBe(false)
    expect(marksAt(silentMs + 65_001)).toBe(true)
  })
})

describe('a host whose beats we refused', () => {
  const refusedAtMs = NOW_MS - 10_000
  const refusals = new Map([['n1', refusedAtMs]])
  const graceMs = settings.nodeMonitorGracePeriodMs
  const marksAt = (world: World, atMs: number) => decide(world, atMs, settings).actions.some(isMark)

  it('is not marked until the last of them is a grace old, whatever befalls the others', () => {
    const world = oneSilent({ refusals })
    expect(marksAt(oneSilent(), NOW_MS)).toBe(true)
    expect(marksAt(world, NOW_MS)).toBe(false)
    expect(marksAt(world, refusedAtMs + graceMs)).toBe(false)
    expect(marksAt(world, refusedAtMs + graceMs + 1)).toBe(true)
  })

  it('is held visibly, and looked at again when that is over', () => {
    const { holds } = decide(oneSilent({ refusals }), NOW_MS, settings)
    const untilMs = refusedAtMs + graceMs
    expect(holds).toEqual([{ what: 'mark', why: 'refused', zone: zoneA, node: 'n1', untilMs }])
    const { due } = decide(oneSilent({ refusals }), untilMs - 1_000, settings)
    expect(due).toContainEqual({ atMs: untilMs + 1, node: 'n1', what: 'unknown' })
  })

  it('is judged between ticks as it is in them', () => {
    const marked = (world: World) => decideDue(world, ['n1'], NOW_MS, settings).some(isMark)
    expect(marked(oneSilent())).toBe(true)
    expect(marked(oneSilent({ refusals }))).toBe(false)
  })

  it('is judged by its beat when one got through since', () => {
    const world = worldOf([readyNode('n1')], [beatOf('n1', refusedAtMs + 1)], { refusals })
    expect(marksAt(world, refusedAtMs + graceMs + 1)).toBe(false)
    expect(marksAt(world, refusedAtMs + graceMs + 2)).toBe(true)
  })

  it('keeps no other from being marked', () => {
    expect(marksAt(oneSilent({ refusals: new Map([['n2', NOW_MS]]) }), NOW_MS)).toBe(true)
  })

  it('is neither tainted nor evicted while it tries to come back', () => {
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const
    const due = [podOn('p', 'n1', { spec: { nodeName: 'n1' } })]
    const others = ['n2', 'n3', 'n4'].map((name) => readyNode(name))
    const beats = [beatOf('n1', silentMs), ...others.map(({ key }) => beatOf(key.name, NOW_MS))]
    const silent = unknownNode('n1', NOW_MS - 60_000)
    // With both taints, so that this tick has nothing to write on the node.
    const taints = [taint, { ...taint, effect: 'NoSchedule' } as const]
    const executing = { ...silent, object: { ...silent.object, spec: { taints } } }
    const waits = worldOf([silent, ...others], beats)
    const leaves = worldOf([executing, ...others], beats, { podsByNode: new Map([['n1', due]]) })
    expect(done(waits)).toContain('taintNoExecute')
    expect(done({ ...waits, refusals })).not.toContain('taintNoExecute')
    expect(done(leaves)).toContain('evictPod')
    expect(done({ ...leaves, refusals })).not.toContain('evictPod')
    const later = NOW_MS + graceMs
    const then = decide({ ...leaves, refusals }, later, settings).actions
    expect(then.map((action) => action.do)).toContain('evictPod')
  })
})

describe('a full disruption', () => {
  const nodes = [tainted('n1'), unknownNode('n2', silentMs)]

  it('is entered before the first taint is stripped', () => {
    const { actions } = decide(worldOf(nodes, []), NOW_MS, settings)
    const order = actions.map((action) => action.do)
    expect(order.indexOf('enterDisruption')).toBeLessThan(order.indexOf('updateNode'))
    expect(actions.find(({ do: what }) => what === 'enterDisruption')).toMatchObject({
      fleet: { next: { disruption: 'entering' } },
      zones: [{ next: { limiter: { stopped: true } } }],
    })
  })

  it('goes on stripping after a crash, and is entered when nothing is left', () => {
    const entering = (list: typeof nodes) => {
      const first = decide(worldOf(list, []), NOW_MS, settings)
      const zones = first.zones.map(
        ({ key, record }) => [key, { version: 2, value: record }] as const,
      )
      const value = { ...calmFleet, disruption: 'entering' as const, greetedThroughMs: NOW_MS }
      return worldOf(list, [], { zones: new Map(zones), fleet: { version: 2, value } })
    }
    expect(done(entering(nodes))).toEqual(['updateNode'])
    const after = decide(entering([nodes[1]!]), NOW_MS, settings).actions
    expect(after).toMatchObject([{ do: 'changeFleet', fleet: { next: { disruption: 'entered' } } }])
  })

  it('evicts nobody through lifecycle taints, not even who tolerates nothing', () => {
    const podsByNode = new Map([['n1', [podOn('p', 'n1')]]])
    expect(done(worldOf(nodes, [], { podsByNode }))).not.toContain('evictPod')
    const fleet = { version: 1, value: { ...calmFleet, disruption: 'entered' as const } }
    expect(done(worldOf(nodes, [], { podsByNode, fleet }))).not.toContain('evictPod')
  })
})

describe('leaving a full disruption', () => {
  const fleet = { version: 1, value: { ...calmFleet, disruption: 'entered' as const } }
  const nodes = [unknownNode('n1', silentMs), readyNode('n2')]
  const world = worldOf(nodes, [beatOf('n2', NOW_MS)], { fleet })

  it('starts every clock afresh and taints nobody in the same tick', () => {
    const { actions } = decide(world, NOW_MS, settings)
    expect(actions.find(({ do: what }) => what === 'leaveDisruption')).toMatchObject({
      fleet: { believed: 1, next: { disruption: 'none', floorMs: NOW_MS } },
    })
    expect(done(world)).not.toContain('taintNoExecute')
  })

  it('lets the settling of those still Unknown begin again', () => {
    const left = { version: 2, value: { ...calmFleet, floorMs: NOW_MS } }
    const after = { ...world, fleet: left }
    const taintsAt = (atMs: number) => decide(after, atMs, settings).counts.tainted
    expect(taintsAt(NOW_MS + 11_999)).toBe(0)
    expect(taintsAt(NOW_MS + 12_000)).toBe(1)
  })
})

describe('in observe mode', () => {
  it('what would be done is told and only records are written', () => {
    const decision = decide(oneSilent(), NOW_MS, { ...settings, observe: true })
    const isRecord = (what: string) => /zone|Fleet|Disruption/i.test(what)
    expect(decision.withheld.map((action) => action.do)).toContain('markUnknown')
    expect(decision.withheld.filter((action) => isRecord(action.do))).toEqual([])
    expect(decision.actions.every(({ do: what }) => isRecord(what))).toBe(true)
  })

  it('is off by default: then nothing is withheld', () => {
    expect(decide(oneSilent(), NOW_MS, settings).withheld).toEqual([])
  })
})

describe('who is away on purpose', () => {
  it.each([
    { when: 'it left', holder: '', until: '' },
    { when: 'it is in maintenance', holder: 'n1', until: '1970-01-01T03:00:00Z' },
  ])('does not count as ill in its zone: $when', ({ holder, until }) => {
    const annotations = { 'leasehold.dev/maintenance-until': until }
    const gone = readyNode('n1', 'a', { annotations })
    const cordoned = { ...gone, object: { ...gone.object, spec: { unschedulable: true } } }
    const beats = [{ ...beatOf('n1', silentMs), holderIdentity: holder }, beatOf('n2', NOW_MS)]
    const { zones, actions } = decide(worldOf([cordoned, readyNode('n2')], beats), NOW_MS, settings)
    expect(zones.find(({ key }) => key === zoneA)?.record).toMatchObject({ size: 1, notReady: 0 })
    expect(actions.some(isMark)).toBe(true)
  })
})

// What a cold monitor takes for new is written down, or it would greet the whole fleet again.
describe('up to when nodes are known', () => {
  const greeted = (of: World) => {
    const changes = decide(of, NOW_MS, settings).actions.filter((one) => one.do === 'changeFleet')
    return changes.map((one) => one.fleet.next.greetedThroughMs)
  }
  const calm = (greetedThroughMs: number, knownNodes: World['knownNodes']) => {
    const nodes = ['n1', 'n2'].map((name) => readyNode(name))
    const beats = nodes.map(({ key }) => beatOf(key.name, NOW_MS))
    const value = { ...calmFleet, greetedThroughMs }
    return { ...worldOf(nodes, beats, { fleet: { version: 1, value } }), knownNodes }
  }
  const both = new Map(['n1', 'n2'].map((name) => [name, readyNode(name).uid]))
  const one = new Map([...both].slice(1))

  it.each([
    { when: 'one node is new', knownNodes: one, ageMs: 1_000, times: [NOW_MS - 10_000] },
    { when: 'none is new', knownNodes: both, ageMs: 1_000, times: [] },
    { when: 'none is new for almost ten minutes', knownNodes: both, ageMs: 599_999, times: [] },
    { when: 'ten minutes are over', knownNodes: both, ageMs: 600_000, times: [NOW_MS - 10_000] },
  ])('is written down with an overlap: $when', ({ knownNodes, ageMs, times }) => {
    expect(greeted(calm(NOW_MS - ageMs, knownNodes))).toEqual(times)
  })
})
