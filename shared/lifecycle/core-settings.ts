/** The settings that the decision itself goes by; kube-controller-manager's defaults. */
import type { HolderRule } from './liveness/holder.ts'
import { brokenRules, type SettingGroup } from './setting-group.ts'

type FullZonePolicy = 'kubernetes' | 'slow' | 'freeze'

export interface CoreSettings {
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
  readonly defaultNotReadyTolerationSeconds: number
  readonly defaultUnreachableTolerationSeconds: number
  /** Of namespaces that are created without saying: who may change the holder of a lease. */
  readonly defaultLeaseHolders: HolderRule
}

export const coreSettings: SettingGroup<CoreSettings> = {
  defaults: {
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
    defaultNotReadyTolerationSeconds: 300,
    defaultUnreachableTolerationSeconds: 300,
    defaultLeaseHolders: 'checked',
  },
  flags: {
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
    'default-not-ready-toleration-seconds': ['defaultNotReadyTolerationSeconds', 'integer'],
    'default-unreachable-toleration-seconds': ['defaultUnreachableTolerationSeconds', 'integer'],
    'default-lease-holders': ['defaultLeaseHolders', ['checked', 'unchecked']],
  },
  problems: (s) =>
    brokenRules([
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
      [
        s.defaultNotReadyTolerationSeconds < 0,
        'default-not-ready-toleration-seconds: must be >= 0',
      ],
      [
        s.defaultUnreachableTolerationSeconds < 0,
        'default-unreachable-toleration-seconds: must be >= 0',
      ],
    ]),
}
