/** What an install may have been set to; half of them keep the defaults. */
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import type { Rng } from './rng.ts'

export function settingsOf(rng: Rng): Settings {
  if (rng.chance(0.5)) return defaultSettings
  const graceMs = rng.pick([20_000, 40_000, 50_000])
  return {
    ...defaultSettings,
    nodeMonitorPeriodMs: rng.pick([2_000, 5_000]),
    nodeMonitorGracePeriodMs: graceMs,
    nodeLeaseRenewIntervalMs: Math.min(10_000, graceMs / 4),
    nodeEvictionRate: rng.pick([0.05, 0.1, 1]),
    secondaryNodeEvictionRate: rng.pick([0.01, 0.05]),
    unhealthyZoneThreshold: rng.pick([0.3, 0.55, 0.8]),
    largeClusterSizeThreshold: rng.pick([3, 10, 50]),
    nodeEvictionSettleMs: rng.pick([0, 5_000, 12_000]),
    fullZonePolicy: rng.pick(['kubernetes', 'slow', 'freeze'] as const),
    observe: rng.chance(0.03),
  }
}
