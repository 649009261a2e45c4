import { describe, expect, it } from 'vitest'
import { forecastNode } from '../../../dashboard/state/node-forecast.ts'
import { livenessOf, type NodeFacts, zoneOf } from '../../../dashboard/state/node-world.ts'
import type { ConditionStatus, Lease, Node, Pod, Taint } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { fleetOf, NOW_MS, viewsOf } from './fleet.ts'

const created = formatTime(NOW_MS - 3_600_000)

function nodeIs(status: ConditionStatus, taints: readonly Taint[] = []): Node {
  const lastTransitionTime = formatTime(NOW_MS - 20_000)
  return {
    metadata: {
      name: 'n',
      uid: 'u',
      creationTimestamp: created,
      labels: { 'topology.kubernetes.io/zone': 'a' },
    },
    spec: { taints },
    status: {
      conditions: [{ type: 'Ready', status, reason: 'NodeStatusUnknown', lastTransitionTime }],
    },
  }
}

const lease = (agoMs: number): Lease => ({
  metadata: { name: 'n', resourceVersion: String((NOW_MS - agoMs) * 1000) },
  spec: { holderIdentity: 'n' },
})

const pod = (name: string, seconds: number): Pod => ({
  metadata: { name, namespace: 'default', uid: name, creationTimestamp: created },
  spec: {
    nodeName: 'n',
    tolerations: [
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: seconds,
      },
    ],
  },
})

const [zoneView] = viewsOf([{ name: 'a', states: ['ready'] }])

const facts = (node: Node, more: Partial<NodeFacts> = {}): NodeFacts => ({
  node,
  lease: lease(8_000),
  pods: [],
  zone: zoneView?.zone,
  fleet: fleetOf({}),
  ...more,
})

const steps = (known: NodeFacts) => forecastNode(known, NOW_MS)

describe('what happens next to a node', () => {
  it('that beats: nothing, and what if it stopped', () => {
    const { premise, steps: list } = steps(facts(nodeIs('True')))
    expect(premise).toContain('Nothing while it keeps beating')
    expect(list.map(({ atMs }) => Math.round((atMs! - NOW_MS) / 1000))).toEqual([42, 54])
  })

  it('that is Unknown: taint, then pods, earliest first, those of a moment together', () => {
    const pods = [pod('late', 300), pod('b', 30), pod('a', 30)]
    const { steps: list } = steps(facts(nodeIs('Unknown'), { lease: lease(80_000), pods }))
    expect(list.map(({ what }) => what)).toEqual([
      expect.stringContaining('NoExecute'),
      'default/b, default/a are deleted',
      'default/late is deleted',
    ])
  })

  it('that waits behind others: as late as its turn, and its pods after that', () => {
    const taintAtMs = NOW_MS + 60_000
    const waiting = { lease: lease(80_000), pods: [pod('a', 30)], taintAtMs }
    const [taint, gone] = steps(facts(nodeIs('Unknown'), waiting)).steps
    expect(taint?.atMs).toBe(taintAtMs)
    expect(gone!.atMs! - taintAtMs).toBeGreaterThanOrEqual(30_000)
    expect(gone!.atMs! - taintAtMs).toBeLessThan(31_000)
  })

  it('in a fleet whose evictions are stopped: held back, and why', () => {
    const fleet = fleetOf({ disruption: 'entered' })
    const { steps: list } = steps(facts(nodeIs('Unknown'), { fleet }))
    expect(list).toEqual([
      {
        what: expect.stringContaining('NoExecute'),
        held: expect.stringContaining('Every zone is down'),
      },
    ])
  })

  it('that is out already and empty: nothing', () => {
    const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' as const }
    const { premise, steps: list } = steps(facts(nodeIs('Unknown', [taint])))
    expect(list).toEqual([])
    expect(premise).toContain('until it is heard again')
  })

  it('follows the settings of the install', () => {
    const settings = { nodeMonitorGracePeriodMs: 10_000 }
    const fleet = { ...fleetOf({}), status: { settings } }
    const [mark] = steps(facts(nodeIs('True'), { fleet })).steps
    expect(Math.round((mark!.atMs! - NOW_MS) / 1000)).toBe(2)
  })
})

describe('silence', () => {
  it('is counted from the last beat by the clock of the server', () => {
    const { lastSignMs, deadlineMs } = livenessOf(facts(nodeIs('True')))
    expect([lastSignMs, deadlineMs]).toEqual([NOW_MS - 8_000, NOW_MS + 42_000])
  })

  it('has no deadline while the observer is blind', () => {
    const fleet = fleetOf({ blind: [{ fromMs: NOW_MS - 1_000, why: 'x' }] })
    expect(livenessOf(facts(nodeIs('True'), { fleet })).deadlineMs).toBe(Number.POSITIVE_INFINITY)
  })

  it('does not count the lease of an earlier node of that name', () => {
    const owners = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'another' }]
    const old = lease(8_000)
    const foreign = { ...old, metadata: { ...old.metadata, ownerReferences: owners } }
    const { lastSignMs } = livenessOf(facts(nodeIs('True'), { lease: foreign }))
    expect(lastSignMs).toBe(NOW_MS - 3_605_000 + 5_000)
  })
})

it.each([
  { labels: { 'topology.kubernetes.io/zone': 'a' }, name: 'a' },
  {
    labels: { 'topology.kubernetes.io/zone': 'a', 'topology.kubernetes.io/region': 'eu' },
    name: 'eu.a',
  },
  { labels: {}, name: 'none' },
])('finds the zone $name', ({ labels, name }) => {
  expect(zoneOf({ metadata: { name: 'n', labels: labels as Record<string, string> } })).toBe(name)
})
