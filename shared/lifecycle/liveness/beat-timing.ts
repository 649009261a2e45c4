/**
 * How often should a host beat, and how long will its silence be borne? Told in the answer to each
 * beat, so that no host beats too slowly for its grace or trusts in a grace it does not have.
 */
import { defaultSettings, type Settings } from '../settings.ts'

/** As ten seconds are to the usual fifty: four beats may be lost before a host counts as silent. */
const BEATS_A_GRACE = 5

interface BeatTiming {
  readonly beatSeconds: number
  readonly graceSeconds: number
}

export type FleetTiming = Pick<Settings, 'nodeMonitorGracePeriodMs' | 'nodeLeaseRenewIntervalMs'>

/** Undefined where hosts may beat as they are used to: a grace of the usual length. */
export function beatTiming(fleet: FleetTiming, ownGraceMs?: number): BeatTiming | undefined {
  if (ownGraceMs !== undefined) return rhythm(ownGraceMs / BEATS_A_GRACE, ownGraceMs)
  const { nodeLeaseRenewIntervalMs: beatMs, nodeMonitorGracePeriodMs: graceMs } = fleet
  const isUsual =
    beatMs === defaultSettings.nodeLeaseRenewIntervalMs &&
    graceMs === defaultSettings.nodeMonitorGracePeriodMs
  return isUsual ? undefined : rhythm(beatMs, graceMs)
}

const rhythm = (beatMs: number, graceMs: number): BeatTiming => ({
  beatSeconds: beatMs / 1_000,
  graceSeconds: graceMs / 1_000,
})
