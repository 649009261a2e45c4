/** What an install may have been set to; half of them keep the defaults. */
import { defaultSettings, type Settings } from '../../shared/lifecycle/settings.ts'
import type { Dice } from './dice.ts'

export function settingsOf(dice: Dice): Settings {
  if (dice.chance(0.5)) return defaultSettings
  const graceMs = dice.pick([20_000, 40_000, 50_000])
  return {
    ...defaultSettings,
    nodeMonitorPeriodMs: dice.pick([2_000, 5_000]),
    nodeMonitorGracePeriodMs: graceMs,
    nodeLeaseRenewIntervalMs: Math.min(10_000, graceMs / 4),
    nodeEvictionRate: dice.pick([0.05, 0.1, 1]),
    secondaryNodeEvictionRate: dice.pick([0.01, 0.05]),
    unhealthyZoneThreshold: dice.pick([0.3, 0.55, 0.8]),
    largeClusterSizeThreshold: dice.pick([3, 10, 50]),
    nodeEvictionSettleMs: dice.pick([0, 5_000, 12_000]),
    fullZonePolicy: dice.pick(['kubernetes', 'slow', 'freeze'] as const),
    observe: dice.chance(0.03),
  }
}
