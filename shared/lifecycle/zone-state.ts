/** How ill is a failure domain, and how fast may it be evicted? */
import type { Settings } from './settings.ts'

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption'

/**
 * Below this many, a share says nothing: two dead nodes of three are an accident, not a disruption.
 */
const MIN_NOT_READY = 3

export interface ZoneCount {
  /** Counted nodes: neither excluded by label nor gone on purpose. */
  readonly size: number
  readonly notReady: number
}

export function zoneStateOf(count: ZoneCount, unhealthyZoneThreshold: number): ZoneState {
  const { size, notReady } = count
  if (notReady > 0 && notReady === size) return 'FullDisruption'
  if (notReady >= MIN_NOT_READY && notReady / size >= unhealthyZoneThreshold) {
    return 'PartialDisruption'
  }
  return 'Normal'
}

type RateSettings = Pick<
  Settings,
  'nodeEvictionRate' | 'secondaryNodeEvictionRate' | 'largeClusterSizeThreshold' | 'fullZonePolicy'
>

/**
 * The limiter's rate on entering a state, while the fleet as a whole is not disrupted. 0 stops it.
 */
export function evictionRate(state: ZoneState, size: number, settings: RateSettings): number {
  if (state === 'PartialDisruption') {
    const isLarge = size > settings.largeClusterSizeThreshold
    return isLarge ? settings.secondaryNodeEvictionRate : 0
  }
  if (state !== 'FullDisruption') return settings.nodeEvictionRate
  if (settings.fullZonePolicy === 'freeze') return 0
  return settings.fullZonePolicy === 'slow'
    ? settings.secondaryNodeEvictionRate
    : settings.nodeEvictionRate
}
