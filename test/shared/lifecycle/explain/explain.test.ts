import { describe, expect, it } from 'vitest'
import { formatTime, parseTimeMs } from '../../../../shared/kube/time.ts'
import { decide } from '../../../../shared/lifecycle/decide.ts'
import { explainer } from '../../../../shared/lifecycle/explain/explain.ts'
import {
  type Explanation,
  explanationText,
  rules,
} from '../../../../shared/lifecycle/explain/explanation.ts'
import { readyOf } from '../../../../shared/lifecycle/liveness/health.ts'
import { defaultSettings, type Settings } from '../../../../shared/lifecycle/settings.ts'
import type { KnownNode, World, ZoneRecord } from '../../../../shared/lifecycle/world.ts'
import { newZone } from '../../../../shared/lifecycle/zones/disruption.ts'
import { spend } from '../../../../shared/lifecycle/zones/limiter.ts'
import {
  beatOf,
  calmFleet,
  knownNode,
  podOn,
  readyNode,
  unknownNode,
  worldOf,
  zoneA,
} from '../fleet.ts'

const T = Date.UTC(2026, 10, 16, 17, 48, 54, 980)
const HOST = 'host-7'
const zoneB = ':\u0000:b'

/** Nine others that beat, in two zones. */
const others = (zones: readonly string[] = ['a', 'b']) =>
  Array.from({ length: 9 }, (_, at) => readyNode(`other-${at}`, zones[at % zones.length]))
const beating = (nodes: readonly KnownNode[]) => nodes.map(({ key }) => beatOf(key.name, T - 3_000))

interface Case {
  readonly rule: keyof typeof rules
  readonly when: string
  readonly world: World
  readonly settings?: Partial<Settings>
  readonly of?: (one: ReturnType<typeof explainer>) => Explanation | undefined
}

function fleetWith(node: KnownNode, lastBeatMs: number, more: Partial<World> = {}): World {
  const rest = others()
  const beat = beatOf(HOST, lastBeatMs)
  return worldOf([node, ...rest], [beat, ...beating(rest)], { zones: zones(), ...more })
}

/** The last beats of hosts that were marked when their grace was over. */
const silent = (...nodes: readonly KnownNode[]) =>
  nodes.map((node) => {
    const declaredAtMs = parseTimeMs(readyOf(node.object)?.lastTransitionTime ?? '') ?? 0
    return { ...beatOf(node.key.name, declaredAtMs - 50_012), declaredAtMs }
  })

function record(change: Partial<ZoneRecord> = {}): ZoneRecord {
  return { ...newZone(defaultSettings, T - 600_000), state: 'Normal', ...change }
}
function zones(a: Partial<ZoneRecord> = {}, b: Partial<ZoneRecord> = {}) {
  return new Map([
    [zoneA, { version: 1, value: record(a) }],
    [zoneB, { version: 1, value: record(b) }],
  ])
}
const spent = spend(record().limiter, T - 4_000)

/** Marked long enough ago to have settled. */
const settled = (name: string, secondsAgo = 60) => unknownNode(name, T - secondsAgo * 1_000)
const open = (why: string) => [{ fromMs: T - 34_980, why }]
const reportsNotReady = knownNode(
  {
    ...readyNode(HOST).object,
    spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'KubeletNotReady',
          message: 'container runtime is down',
          lastTransitionTime: formatTime(T - 30_000),
        },
      ],
    },
  },
  T - 30_000,
)
const tainted = (): KnownNode => {
  const node = settled(HOST)
  const taint = {
    key: 'node.kubernetes.io/unreachable',
    effect: 'NoExecute',
    timeAdded: formatTime(T - 20_000),
  } as const
  const taints = [...(node.object.spec?.taints ?? []), taint]
  return { ...node, object: { ...node.object, spec: { ...node.object.spec, taints } } }
}
const tolerations = [
  {
    key: 'node.kubernetes.io/unreachable',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  } as const,
]
const web = (more: object = {}) => {
  const pod = podOn('web-1', HOST)
  return { ...pod, object: { ...pod.object, spec: { ...pod.object.spec, ...more } } }
}
const annotated = (annotations: Record<string, string>): KnownNode => {
  const node = settled(HOST)
  const metadata = { ...node.object.metadata, annotations }
  return { ...node, object: { ...node.object, metadata } }
}
const left = (): KnownNode => {
  const node = settled(HOST)
  return { ...node, object: { ...node.object, spec: { unschedulable: true } } }
}

/** Sixty per cent of a zone of forty are down. */
function partialZone(): World {
  const down = Array.from({ length: 24 }, (_, at) => settled(`host-${at}`))
  const up = Array.from({ length: 16 }, (_, at) => readyNode(`up-${at}`))
  return worldOf(
    [...down, ...up, readyNode('far', 'b')],
    [...silent(...down), ...beating([...up, readyNode('far', 'b')])],
    {
      zones: zones({ state: 'PartialDisruption', size: 40, notReady: 24 }),
    },
  )
}

const allDown = () => {
  const nodes = [settled(HOST), unknownNode('other', T - 60_000, 'b')]
  const disrupted = { ...calmFleet, disruption: 'entered', disruptionSinceMs: T - 40_000 } as const
  return worldOf(nodes, silent(...nodes), {
    fleet: { version: 1, value: disrupted },
    zones: zones(
      { state: 'FullDisruption', size: 1, notReady: 1 },
      { state: 'FullDisruption', size: 1, notReady: 1 },
    ),
  })
}

const cases: readonly Case[] = [
  { rule: 'healthy', when: 'it beats', world: fleetWith(readyNode(HOST), T - 2_500) },
  { rule: 'silence', when: 'it is late', world: fleetWith(readyNode(HOST), T - 34_000) },
  {
    rule: 'never-reported',
    when: 'it was created and said nothing',
    world: fleetWith(
      knownNode({ metadata: { name: HOST, uid: 'u', creationTimestamp: formatTime(T - 20_000) } }),
      0,
      { beats: new Map(beating(others()).map((beat) => [beat.name, beat])) },
    ),
  },
  {
    rule: 'settle',
    when: 'it was marked a moment ago',
    world: fleetWith(unknownNode(HOST, T - 4_980), T - 55_048),
  },
  {
    rule: 'token',
    when: 'two are ahead of it',
    world: worldOf(
      [settled('host-1', 90), settled('host-2', 80), settled(HOST), ...others()],
      [
        ...silent(settled('host-1', 90), settled('host-2', 80), settled(HOST)),
        ...beating(others()),
      ],
      { zones: zones({ limiter: spent }) },
    ),
  },
  {
    rule: 'not-ready',
    when: 'the host says so itself, and a token is free',
    world: fleetWith(reportsNotReady, T - 2_000),
  },
  {
    rule: 'zone-partial',
    when: 'most of a small zone is down',
    world: partialZone(),
  },
  {
    rule: 'zone-full',
    when: 'its zone is wholly down and frozen',
    settings: { fullZonePolicy: 'freeze' },
    world: worldOf(
      [settled(HOST), settled('host-8'), ...others(['b'])],
      [...silent(settled(HOST), settled('host-8')), ...beating(others(['b']))],
      {
        zones: zones({ state: 'FullDisruption', size: 2, notReady: 2 }),
      },
    ),
  },
  { rule: 'fleet-disruption', when: 'every zone is down', world: allDown() },
  {
    rule: 'blind',
    when: 'the canary fails',
    world: fleetWith(readyNode(HOST), T - 71_000, {
      visibility: { kind: 'blind', sinceMs: T - 34_980, why: 'the canary beat fails' },
      fleet: { version: 1, value: { ...calmFleet, blind: open('the canary beat fails') } },
    }),
  },
  {
    rule: 'refused',
    when: 'the api refused its beats',
    world: fleetWith(readyNode(HOST), T - 71_000, { refusals: new Map([[HOST, T - 9_980]]) }),
  },
  {
    rule: 'paused',
    when: 'an operator paused its zone',
    world: fleetWith(settled(HOST), T - 110_000, { zones: zones({ stops: open('storage move') }) }),
  },
  {
    rule: 'maintenance',
    when: 'it is in maintenance',
    world: fleetWith(
      annotated({ 'leasehold.dev/maintenance-until': formatTime(T + 3_600_000) }),
      T - 110_000,
    ),
  },
  {
    rule: 'observe',
    when: 'the monitor only observes',
    settings: { observe: true },
    world: fleetWith(readyNode(HOST), T - 60_000),
  },
  {
    rule: 'departed',
    when: 'it left',
    world: fleetWith(left(), T - 110_000, {
      beats: new Map(
        [{ ...beatOf(HOST, T - 110_000), holderIdentity: '' }, ...beating(others())].map((beat) => [
          beat.name,
          beat,
        ]),
      ),
    }),
  },
  {
    rule: 'toleration',
    when: 'a pod counts down',
    world: fleetWith(tainted(), T - 110_000, {
      podsByNode: new Map([[HOST, [web({ tolerations })]]]),
    }),
    of: (one) => one.pod('default', 'web-1'),
  },
  {
    rule: 'not-tolerated',
    when: 'a pod tolerates nothing',
    world: fleetWith(tainted(), T - 110_000, {
      podsByNode: new Map([[HOST, [web({ tolerations: [] })]]]),
    }),
    of: (one) => one.pod('default', 'web-1'),
  },
]

describe('explain', () => {
  it.each(cases)('$rule: $when', async ({ rule, world, settings, of }) => {
    const one = explainer(world, T, { ...defaultSettings, ...settings })
    const found = of ? of(one) : one.node(HOST)
    expect(found?.rule).toBe(rule)
    const around = [one.fleet(), ...one.zoneKeys.map((key) => one.zone(key)!)]
    const texts = [found!, ...around].map(explanationText).join('\n\n')
    await expect(`${texts}\n`).toMatchFileSnapshot(`golden/${rule}.txt`)
  })

  it('has a golden text for every rule', () => {
    expect(cases.map(({ rule }) => rule).toSorted()).toEqual(Object.keys(rules).toSorted())
  })

  it('is described rule by rule in docs/rules.md', async () => {
    const lines = Object.entries(rules).map(([name, text]) => `| \`${name}\` | ${text} |`)
    const page = [
      '# Rules',
      '',
      'Why the monitor did something, or did not. `npx --no-install leasehold explain` and `kubectl get why` name the rule and the numbers it',
      'compared. This page is generated from `shared/lifecycle/explain/explanation.ts`; a test fails when it is stale.',
      '',
      '| rule | says |',
      '|---|---|',
      ...lines,
      '',
    ].join('\n')
    await expect(page).toMatchFileSnapshot('../../../../docs/rules.md')
  })

  it('finds nothing to say about a calm fleet', () => {
    const calm = others()
    const one = explainer(worldOf(calm, beating(calm)), T, defaultSettings)
    expect(one.troubled()).toEqual([])
  })

  it('gives each node of a queue its own time, in the order in which taints are then given', () => {
    const names = ['host-1', 'host-2', 'host-3']
    const queue = names.map((name, at) => settled(name, 90 - at))
    const rest = others()
    const world = worldOf([...queue, ...rest], beating(rest), { zones: zones({ limiter: spent }) })
    const one = explainer(world, T, defaultSettings)
    const times = names.map((name) => one.node(name)!.nextAtMs!)
    const tokenMs = 1_000 / defaultSettings.nodeEvictionRate
    expect(times.map((ms) => ms - times[0]!)).toEqual([0, tokenMs, 2 * tokenMs])
    const taintedAt = (ms: number) =>
      decide(world, ms, defaultSettings).actions.flatMap((action) =>
        action.do === 'taintNoExecute' ? [action.node.key.name] : [],
      )
    expect(taintedAt(times[0]! - 1)).toEqual([])
    expect(taintedAt(times[0]!)).toEqual(['host-1'])
  })
})
