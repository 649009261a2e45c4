/** The shorthand of the lifecycle vectors, and how it reads on the wire. */
import type { ConditionStatus, Node, NodeCondition, Taint } from '../../../shared/kube/objects.ts'
import { formatTime, parseTimeMs } from '../../../shared/kube/time.ts'
import { defaultSettings, type Settings } from '../../../shared/lifecycle/settings.ts'

/** Vector times are seconds from here; far enough from 1970 for nodes that are years old. */
export const T0_MS = Date.UTC(2026, 0, 1)
export const atMs = (seconds: number) => T0_MS + seconds * 1000
export const seconds = (ms: number) => (ms - T0_MS) / 1000

export interface VectorCondition {
  readonly type: string
  readonly status: ConditionStatus
  readonly reason: string
  readonly message: string
  readonly heartbeat: number
  readonly transition: number
}

export interface VectorTaint {
  readonly key: string
  readonly value?: string
  readonly effect: Taint['effect']
  readonly timeAdded?: number | null
}

export interface VectorNode {
  readonly name: string
  readonly createdAt: number
  /** Go writes an empty list or map as null as well. */
  readonly labels?: Readonly<Record<string, string>> | null
  readonly conditions?: readonly VectorCondition[] | null
  readonly taints?: readonly VectorTaint[] | null
  readonly unschedulable?: boolean
}

export interface VectorLease {
  readonly node: string
  readonly renewTime?: number | null
  readonly resourceVersion?: string
}

export interface VectorConfig {
  readonly monitorGrace: number
  readonly startupGrace: number
  readonly monitorPeriod: number
  readonly evictionRate: number
  readonly secondaryEvictionRate: number
  readonly largeClusterThreshold: number
  readonly unhealthyZoneThreshold: number
}

/** What most of the given cases run with. */
export const defaultConfig: VectorConfig = {
  monitorGrace: 50,
  startupGrace: 60,
  monitorPeriod: 5,
  evictionRate: 100_000,
  secondaryEvictionRate: 100_000,
  largeClusterThreshold: 20,
  unhealthyZoneThreshold: 0.55,
}

export interface Step {
  readonly op: string
  readonly at?: number
  readonly id?: string
  readonly node?: VectorNode | string
  readonly conditions?: readonly VectorCondition[]
  readonly labels?: Readonly<Record<string, string>>
  readonly lease?: VectorLease
  readonly pod?: string
  readonly count?: number
}

export interface Scenario {
  readonly config: VectorConfig
  readonly pods: readonly { name: string; namespace: string; node: string; ready: string }[]
  readonly steps: readonly Step[]
}

/** The vectors know no settling. */
export function settingsOf(config: VectorConfig): Settings {
  return {
    ...defaultSettings,
    nodeMonitorGracePeriodMs: config.monitorGrace * 1000,
    nodeStartupGracePeriodMs: config.startupGrace * 1000,
    nodeMonitorPeriodMs: config.monitorPeriod * 1000,
    nodeEvictionRate: config.evictionRate,
    secondaryNodeEvictionRate: config.secondaryEvictionRate,
    largeClusterSizeThreshold: config.largeClusterThreshold,
    unhealthyZoneThreshold: config.unhealthyZoneThreshold,
    nodeEvictionSettleMs: 0,
  }
}

export function conditionOf(condition: VectorCondition): NodeCondition {
  const { heartbeat, transition, ...rest } = condition
  return {
    ...rest,
    lastHeartbeatTime: formatTime(atMs(heartbeat)),
    lastTransitionTime: formatTime(atMs(transition)),
  }
}

export function vectorCondition(condition: NodeCondition): VectorCondition {
  const {
    lastHeartbeatTime,
    lastTransitionTime,
    reason = '',
    message = '',
    type,
    status,
  } = condition
  return {
    type,
    status,
    reason,
    message,
    heartbeat: seconds(parseTimeMs(lastHeartbeatTime ?? '') ?? 0),
    transition: seconds(parseTimeMs(lastTransitionTime ?? '') ?? 0),
  }
}

export function nodeOf(node: VectorNode): Node {
  return {
    metadata: {
      name: node.name,
      uid: `uid-${node.name}-${node.createdAt}`,
      creationTimestamp: formatTime(atMs(node.createdAt)),
      labels: node.labels ?? {},
    },
    spec: {
      taints: (node.taints ?? []).map(({ timeAdded, ...taint }) => ({
        ...taint,
        ...(typeof timeAdded === 'number' && { timeAdded: formatTime(atMs(timeAdded)) }),
      })),
      ...(node.unschedulable && { unschedulable: true }),
    },
    status: { conditions: (node.conditions ?? []).map(conditionOf) },
  }
}
