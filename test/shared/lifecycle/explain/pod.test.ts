/** What is told about one pod, beyond the golden texts. */
import { expect, it } from 'vitest'
import { formatTime } from '../../../../shared/kube/time.ts'
import { withCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { explainer } from '../../../../shared/lifecycle/explain/explain.ts'
import { defaultSettings } from '../../../../shared/lifecycle/settings.ts'
import type { KnownNode, KnownPod, World } from '../../../../shared/lifecycle/world.ts'
import { beatOf, calmFleet, podOn, readyNode, unknownNode, worldOf } from '../fleet.ts'

const T = 1_800_000_000_000
const UNREACHABLE = 'node.kubernetes.io/unreachable'

function tainted(): KnownNode {
  const node = unknownNode('n1', T - 60_000)
  const timeAdded = formatTime(T - 20_000)
  const taints = [{ key: UNREACHABLE, effect: 'NoExecute', timeAdded } as const]
  return { ...node, object: { ...node.object, spec: { taints } } }
}
const patient = (name: string, namespace = 'default'): KnownPod => {
  const tolerations = [{ key: UNREACHABLE, operator: 'Exists', tolerationSeconds: 300 }] as const
  const pod = podOn(name, 'n1', { spec: { nodeName: 'n1', tolerations } })
  return { ...pod, key: { namespace, name } }
}
const explain = (pods: readonly KnownPod[], more: Partial<World> = {}) => {
  const podsByNode = Map.groupBy(pods, ({ object }) => object.spec?.nodeName ?? '')
  const beats = [beatOf('n1', T - 110_000), beatOf('n2', T)]
  const world = worldOf([tainted(), readyNode('n2')], beats, { podsByNode, ...more })
  return explainer(world, T, defaultSettings)
}

it('is about the pod of that name in that namespace', () => {
  const eager = podOn('web', 'n1', { spec: { nodeName: 'n1', tolerations: [] } })
  const one = explain([
    patient('other'),
    { ...eager, key: { namespace: 'a', name: 'web' } },
    patient('web', 'b'),
  ])
  expect(one.pod('a', 'web')).toMatchObject({ name: 'a/web', rule: 'not-tolerated', nextAtMs: T })
  expect(one.pod('b', 'web')).toMatchObject({
    name: 'b/web',
    rule: 'toleration',
    nextAtMs: T + 280_999,
  })
  expect(one.pod('c', 'web')).toBeUndefined()
})

it('tells that a pause keeps the pod, and how much of its time is then left', () => {
  const stops = [{ fromMs: T - 5_000, why: 'upgrade' }]
  const fleet = { version: 1, value: { ...calmFleet, stops } }
  const counting = patient('web')
  const countdown = { startedAtMs: T - 20_000, dueAtMs: T + 280_000 }
  const pod = { ...counting, object: withCountdown(counting.object, countdown) }
  expect(explain([pod], { fleet }).pod('default', 'web')).toMatchObject({
    what: 'stays on n1 for now',
    undoneBy: 'the hold ending; 285 s are then left',
    isCalm: false,
  })
})

it('tells since when a running countdown counts', () => {
  const counting = patient('web')
  const countdown = { startedAtMs: T - 20_000, dueAtMs: T + 280_000 }
  const pod = { ...counting, object: withCountdown(counting.object, countdown) }
  const found = explain([pod]).pod('default', 'web')
  expect(found).toMatchObject({ rule: 'toleration', isCalm: false })
  expect(found?.because[1]).toMatch(/^counts since .* \(20 s\), tolerated 300 s$/)
})

it.each([
  { when: 'its host is well', node: 'n2', what: 'stays on n2', because: /no NoExecute taint/ },
  { when: 'its host is gone', node: 'n9', what: 'stays on n9', because: /the node is gone/ },
  { when: 'it has no host', node: '', what: 'is bound to no node', because: undefined },
])('stays, and that is no trouble, when $when', ({ node, what, because }) => {
  // A pod without it would leave after the grace, if its host fell silent now.
  const tolerations = [{ operator: 'Exists' }]
  const pod = podOn('web', node, { spec: { nodeName: node, tolerations } })
  const found = explain([pod]).pod('default', 'web')
  expect(found).toMatchObject({ what, isCalm: true })
  if (because) expect(found?.because[0]).toMatch(because)
  else expect(found?.because).toEqual([])
})

it('tells of a hold before anything counts', () => {
  const stops = [{ fromMs: T - 5_000, why: 'upgrade' }]
  const fleet = { version: 1, value: { ...calmFleet, stops } }
  expect(explain([patient('web')], { fleet }).pod('default', 'web')).toMatchObject({
    what: 'stays on n1 for now',
    undoneBy: 'the hold ending',
  })
})

it('of a countdown that is over says that its time is up, not that it tolerated nothing', () => {
  const counting = patient('web')
  const countdown = { startedAtMs: T - 300_000, dueAtMs: T }
  const pod = { ...counting, object: withCountdown(counting.object, countdown) }
  expect(explain([pod]).pod('default', 'web')).toMatchObject({ rule: 'toleration', nextAtMs: T })
})

it('of two pods in one namespace tells each of its own time', () => {
  const hasty = podOn('hasty', 'n1', { spec: { nodeName: 'n1', tolerations: [] } })
  const one = explain([patient('web'), hasty])
  expect(one.pod('default', 'hasty')).toMatchObject({ name: 'default/hasty', nextAtMs: T })
  expect(one.pod('default', 'web')).toMatchObject({ name: 'default/web', nextAtMs: T + 280_999 })
  const other = explain([hasty, patient('web')])
  expect(other.pod('default', 'web')).toMatchObject({ nextAtMs: T + 280_999 })
})

it('zones are told in the order of their names', () => {
  const world = worldOf([readyNode('n1', 'b'), readyNode('n2', 'a')], [])
  const keys = explainer(world, T, defaultSettings).zoneKeys
  expect(keys).toEqual(keys.toSorted())
  expect(keys).toHaveLength(2)
})
