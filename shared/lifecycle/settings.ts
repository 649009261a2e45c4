/**
 * What may an operator choose? kube-controller-manager's names and defaults, and a few of our own.
 */
import type { Node } from '../kube/objects.ts'
import type { TolerationDefaults } from '../kube/resources/default-tolerations.ts'
import { parseDurationMs } from './duration.ts'

export type FullZonePolicy = 'kubernetes' | 'slow' | 'freeze'

export interface Settings {
  readonly nodeMonitorPeriodMs: number
  readonly nodeMonitorGracePeriodMs: number
  readonly nodeStartupGracePeriodMs: number
  /** How often a host renews its lease; unless told, a quarter of the grace and at most 10 s. */
  readonly nodeLeaseRenewIntervalMs: number
  /** Nodes a second. */
  readonly nodeEvictionRate: number
  readonly secondaryNodeEvictionRate: number
  readonly unhealthyZoneThreshold: number
  readonly largeClusterSizeThreshold: number
  /** No first NoExecute taint until a node has been Unknown this long; 0 is Kubernetes. */
  readonly nodeEvictionSettleMs: number
  /**
   * A zone that is wholly down while others live: evict normally, at the secondary rate, or not at
   * all.
   */
  readonly fullZonePolicy: FullZonePolicy
  /** Decide and tell, change nothing on nodes and pods. */
  readonly observe: boolean
  readonly terminatedPodGcThreshold: number
  readonly defaultNotReadyTolerationSeconds: number
  readonly defaultUnreachableTolerationSeconds: number
  readonly allocateNodeCidrs: boolean
  readonly clusterCidr: string
  readonly serviceClusterIpRange: string
  readonly nodeCidrMaskSizeIpv4: number
  readonly nodeCidrMaskSizeIpv6: number
  readonly cloudProvider: 'none' | 'aws'
}

export const defaultSettings: Settings = {
  nodeMonitorPeriodMs: 5_000,
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeLeaseRenewIntervalMs: 10_000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
  nodeEvictionSettleMs: 12_000,
  fullZonePolicy: 'kubernetes',
  observe: false,
  terminatedPodGcThreshold: 12_500,
  defaultNotReadyTolerationSeconds: 300,
  defaultUnreachableTolerationSeconds: 300,
  allocateNodeCidrs: false,
  clusterCidr: '',
  serviceClusterIpRange: '',
  nodeCidrMaskSizeIpv4: 24,
  nodeCidrMaskSizeIpv6: 64,
  cloudProvider: 'none',
}

/**
 * Flag name -> field and kind. The environment spells the same names in capitals
 * (`environmentName`).
 */
export const settingNames = {
  'node-monitor-period': ['nodeMonitorPeriodMs', 'duration'],
  'node-monitor-grace-period': ['nodeMonitorGracePeriodMs', 'duration'],
  'node-startup-grace-period': ['nodeStartupGracePeriodMs', 'duration'],
  'node-lease-renew-interval': ['nodeLeaseRenewIntervalMs', 'duration'],
  'node-eviction-rate': ['nodeEvictionRate', 'number'],
  'secondary-node-eviction-rate': ['secondaryNodeEvictionRate', 'number'],
  'unhealthy-zone-threshold': ['unhealthyZoneThreshold', 'number'],
  'large-cluster-size-threshold': ['largeClusterSizeThreshold', 'integer'],
  'node-eviction-settle': ['nodeEvictionSettleMs', 'duration'],
  'full-zone-policy': ['fullZonePolicy', ['kubernetes', 'slow', 'freeze']],
  observe: ['observe', 'boolean'],
  'terminated-pod-gc-threshold': ['terminatedPodGcThreshold', 'integer'],
  'default-not-ready-toleration-seconds': ['defaultNotReadyTolerationSeconds', 'integer'],
  'default-unreachable-toleration-seconds': ['defaultUnreachableTolerationSeconds', 'integer'],
  'allocate-node-cidrs': ['allocateNodeCidrs', 'boolean'],
  'cluster-cidr': ['clusterCidr', 'text'],
  'service-cluster-ip-range': ['serviceClusterIpRange', 'text'],
  'node-cidr-mask-size-ipv4': ['nodeCidrMaskSizeIpv4', 'integer'],
  'node-cidr-mask-size-ipv6': ['nodeCidrMaskSizeIpv6', 'integer'],
  'cloud-provider': ['cloudProvider', ['none', 'aws']],
} as const satisfies Readonly<Record<string, readonly [keyof Settings, Kind]>>

type Kind = 'duration' | 'number' | 'integer' | 'boolean' | 'text' | readonly string[]

export type ParsedSettings =
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }

/** `NODE_MONITOR_GRACE_PERIOD` for `node-monitor-grace-period`. */
export function environmentName(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_')
}

/** `read` answers with the text given for a flag name, from flags or from the environment. */
export function parseSettings(read: (name: string) => string | undefined): ParsedSettings {
  const chosen: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [name, [field, kind]] of Object.entries(settingNames)) {
    const text = read(name)
    if (text === undefined) continue
    const value = parseValue(kind, text)
    if (value === undefined) problems.push(`${name}: "${text}" is not ${describe(kind)}`)
    else chosen[field] = value
  }
  const settings = withRenewInterval({ ...defaultSettings, ...chosen }, chosen)
  problems.push(...contradictions(settings))
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'settings', settings }
}

/** As the functions find them in their environment. */
export function settingsIn(env: Readonly<Record<string, string | undefined>>): Settings {
  const parsed = parseSettings((flag) => env[environmentName(flag)])
  if (parsed.kind === 'settings') return parsed.settings
  throw new Error(`the function's settings are wrong:\n${parsed.problems.join('\n')}`)
}

function withRenewInterval(settings: Settings, chosen: Readonly<Record<string, unknown>>) {
  if (chosen.nodeLeaseRenewIntervalMs !== undefined) return settings
  const quarterMs = settings.nodeMonitorGracePeriodMs / 4
  return { ...settings, nodeLeaseRenewIntervalMs: Math.min(10_000, quarterMs) }
}

function parseValue(kind: Kind, text: string): unknown {
  if (kind === 'duration') return parseDurationMs(text)
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (kind === 'text') return text
  if (typeof kind !== 'string') return kind.includes(text) ? text : undefined
  const number = text.trim() === '' ? Number.NaN : Number(text)
  const fits = kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number)
  return fits ? number : undefined
}

function describe(kind: Kind): string {
  if (kind === 'duration') return 'a duration such as 50s, 1m30s or 500ms'
  if (kind === 'boolean') return 'true or false'
  if (kind === 'integer') return 'a whole number'
  return typeof kind === 'string' ? 'a number' : `one of ${kind.join(', ')}`
}

function contradictions(s: Settings): string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [s.nodeMonitorPeriodMs < 100, 'node-monitor-period: must be at least 100ms'],
    [
      !(s.nodeMonitorGracePeriodMs > s.nodeLeaseRenewIntervalMs),
      'node-monitor-grace-period: must be longer than node-lease-renew-interval ' +
        `(${s.nodeLeaseRenewIntervalMs / 1000}s), or every host dies between two beats`,
    ],
    [
      s.nodeMonitorGracePeriodMs < s.nodeMonitorPeriodMs,
      'node-monitor-grace-period: must not be shorter than node-monitor-period',
    ],
    [s.nodeLeaseRenewIntervalMs <= 0, 'node-lease-renew-interval: must be more than 0'],
    [s.nodeStartupGracePeriodMs < 0, 'node-startup-grace-period: must not be negative'],
    [s.nodeEvictionSettleMs < 0, 'node-eviction-settle: must not be negative (0 turns it off)'],
    [s.nodeEvictionRate < 0, 'node-eviction-rate: must not be negative (0 stops evictions)'],
    [s.secondaryNodeEvictionRate < 0, 'secondary-node-eviction-rate: must not be negative'],
    [
      s.unhealthyZoneThreshold < 0 || s.unhealthyZoneThreshold > 1,
      'unhealthy-zone-threshold: must be a share between 0 and 1',
    ],
    [s.defaultNotReadyTolerationSeconds < 0, 'default-not-ready-toleration-seconds: must be >= 0'],
    [
      s.defaultUnreachableTolerationSeconds < 0,
      'default-unreachable-toleration-seconds: must be >= 0',
    ],
    [
      s.allocateNodeCidrs && s.clusterCidr === '',
      'allocate-node-cidrs: needs cluster-cidr, the range to hand out',
    ],
  ]
  return rules.filter(([broken]) => broken).map(([, problem]) => problem)
}

/** What the api gives pods that do not say themselves. */
export const tolerationDefaults = (settings: Settings): TolerationDefaults => ({
  notReadySeconds: settings.defaultNotReadyTolerationSeconds,
  unreachableSeconds: settings.defaultUnreachableTolerationSeconds,
})

export const GRACE_ANNOTATION = 'leasehold.dev/node-monitor-grace-period'
const MIN_NODE_GRACE_MS = 3_000
const MAX_NODE_GRACE_MS = 3_600_000

/**
 * A node's own grace. What cannot be read is ignored and what is out of bounds is brought within: a
 * typing error must neither condemn a host nor make it immortal.
 */
export function nodeGraceMs(node: Node, settings: Settings): number {
  const text = node.metadata.annotations?.[GRACE_ANNOTATION]
  if (text === undefined) return settings.nodeMonitorGracePeriodMs
  const ms = parseDurationMs(text)
  if (ms === undefined) return settings.nodeMonitorGracePeriodMs
  return Math.min(MAX_NODE_GRACE_MS, Math.max(MIN_NODE_GRACE_MS, ms))
}
