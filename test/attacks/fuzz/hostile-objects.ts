/** Objects as clients send them, and what an attacker makes of them. */
import type { Resource } from '../../../shared/kube/resource.ts'
import { groupVersion } from '../../../shared/kube/resource.ts'

export type Random = () => number
export const pick = <T>(random: Random, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)]!
export const chance = (random: Random, share: number): boolean => random() < share

const TIME = '2026-01-02T03:04:05Z'
const MICRO_TIME = '2026-01-02T03:04:05.000000Z'

/** By plural: what a correct body has beside kind and metadata. */
const SOUND: Readonly<Record<string, object>> = {
  nodes: {
    spec: { taints: [{ key: 'k', effect: 'NoSchedule' }], podCIDR: '10.0.0.0/24' },
    status: {
      capacity: { cpu: '4', memory: '8Gi' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: TIME }],
      images: [{ names: ['i'], sizeBytes: 1 }],
    },
  },
  pods: {
    spec: {
      nodeName: 'a',
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }],
      tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  },
  leases: {
    spec: {
      holderIdentity: 'a_m',
      leaseDurationSeconds: 40,
      renewTime: MICRO_TIME,
      leaseTransitions: 1,
    },
  },
  events: {
    involvedObject: { kind: 'Node', name: 'a' },
    regarding: { kind: 'Node', name: 'a' },
    source: { component: 'kubelet', host: 'a' },
    reportingController: 'example.com/c',
    reportingInstance: 'a',
    eventTime: MICRO_TIME,
    action: 'Try',
    reason: 'R',
    type: 'Normal',
    count: 1,
  },
  namespaces: { spec: { finalizers: ['kubernetes'] } },
  csinodes: { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: ['k'] }] } },
  csidrivers: { spec: { attachRequired: true } },
  runtimeclasses: { handler: 'runc' },
}

export function soundObject(resource: Resource, name: string, namespace: string): object {
  const metadata = { name, ...(namespace && { namespace }), labels: { app: 'x' } }
  const { kind, plural } = resource
  return { apiVersion: groupVersion(resource), kind, metadata, ...SOUND[plural] }
}

const many = (count: number, of: (at: number) => [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => of(at)))

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = at % 2 ? [value] : { a: value }
  return value
}

/** Values that programs stumble over, most of them small. */
export function hostileValue(random: Random): unknown {
  const size = () => Math.floor(10 ** (random() * (chance(random, 0.02) ? 4.5 : 2.5)))
  const makers: readonly (() => unknown)[] = [
    () => null,
    () => pick(random, [0, -1, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 0.1, Number.MAX_VALUE]),
    () => pick(random, ['', ' ', '\u0000', '\ud800', '\u202e', '..', '%2e', '../a', 'a/b', '{}']),
    () => pick(random, ['__proto__', 'constructor', 'toString', 'hasOwnProperty']),
    () => 'x'.repeat(size()),
    () => '\u0000"\\\n'.repeat(size() / 4),
    () => pick(random, [true, [], {}, [[]], [null], [{}]]),
    () => pick(random, [TIME, MICRO_TIME, '0001-01-01T00:00:00Z', '9999-12-31T23:59:60Z', '1h']),
    () => pick(random, ['10.0.0.0/24', '::/0', '300.1.1.1/99', '1e99', '1Ki', '-5m', 'NaN']),
    () => many(size(), (at) => [`!${at}`, '!']),
    () => many(size(), (at) => [`k${at}`, 'v']),
    () => Array.from({ length: size() }, () => ({ key: '!', name: '', type: '!' })),
    () => Array.from({ length: size() }, (_, at) => `f${at}`),
    () => nested(Math.min(size(), 1_000)),
    () => ({ toString: 1, __proto__: { polluted: 1 } }),
    () => many(2, () => ['leasehold.dev/maintenance-until', '2099-01-01T00:00:00Z']),
  ]
  return pick(random, makers)()
}

/** The object with something wrong in a few places. */
export function spoiled(random: Random, object: unknown, places: number): unknown {
  let value = object
  for (let at = 0; at < places; at++) {
    value = chance(random, 0.4) ? crowded(random, value) : spoiledOnce(random, value, 0)
  }
  return value
}

/** Lists and maps that may be long, each with what one bad element of it looks like. */
const CROWDS: readonly (readonly [path: readonly string[], element: unknown])[] = [
  [['metadata', 'labels'], '!'],
  [['metadata', 'annotations'], 'v'],
  [['metadata', 'finalizers'], ['!']],
  [['metadata', 'ownerReferences'], [{ apiVersion: 'v1', kind: 'Node', name: '!', uid: '' }]],
  [['spec', 'taints'], [{ key: '!', effect: '!' }]],
  [['spec', 'tolerations'], [{ key: '!', operator: '!', effect: '!' }]],
  [['spec', 'containers'], [{ name: '!', image: '', ports: [{ containerPort: -1 }] }]],
  [['spec', 'drivers'], [{ name: '!', nodeID: '' }]],
  [['spec', 'podCIDRs'], ['!']],
  [['status', 'conditions'], [{ type: '!', status: '!' }]],
  [['status', 'images'], [{ names: ['i'], sizeBytes: 1 }]],
  [['status', 'addresses'], [{ type: 'InternalIP', address: '!' }]],
]

function crowded(random: Random, object: unknown): unknown {
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object
  // Any object may have the first two, in any number that fits.
  const [[part = '', field = ''], element] = pick(
    random,
    CROWDS.slice(0, chance(random, 0.4) ? 2 : 99),
  )
  const count = Math.floor(10 ** (random() * (chance(random, 0.03) ? 4.3 : 2.6)))
  const isBad = chance(random, 0.5)
  const crowd = Array.isArray(element)
    ? Array.from({ length: count }, () => element[0] as unknown)
    : many(count, (at) => [isBad ? `!${at}` : `k${at}`, element === '!' && !isBad ? 'v' : element])
  const inner = (object as Record<string, object | undefined>)[part]
  return { ...object, [part]: { ...inner, [field]: crowd } }
}

function spoiledOnce(random: Random, value: unknown, depth: number): unknown {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0
  if (!isBranch || chance(random, depth === 0 ? 0.02 : 0.15)) return hostileValue(random)
  const key = pick(random, [...Object.keys(value), ...(chance(random, 0.3) ? EXTRA : [])])
  const inner = (value as Record<string, unknown>)[key]
  const next = inner === undefined ? hostileValue(random) : spoiledOnce(random, inner, depth + 1)
  if (Array.isArray(value)) return value.map((one, at) => (String(at) === key ? next : one))
  return { ...value, [key]: next }
}

/** Fields that a sound object need not have, and some that no object has. */
const EXTRA = [
  ...['metadata', 'spec', 'status', 'labels', 'annotations', 'finalizers', 'ownerReferences'],
  ...['uid', 'resourceVersion', 'generateName', 'deletionTimestamp', 'managedFields', 'taints'],
  ...['$patch', '$deleteFromPrimitiveList/finalizers', '$setElementOrder/taints', 'unknownField'],
]
