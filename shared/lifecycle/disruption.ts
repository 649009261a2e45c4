/**
 * Zones as they are in this tick, and the one thing that is bigger than a zone: when all of them
 * are down at once, it is more likely that we have lost our sight than that everybody died. Then
 * nobody is evicted.
 */
import { canGrant, changeRate, fullLimiter, stoppedLimiter } from './limiter.ts'
import type { Settings } from './settings.ts'
import type { FleetRecord, ZoneRecord } from './world.ts'
import { evictionRate, type ZoneCount, type ZoneState, zoneStateOf } from './zone-state.ts'

export type Turn = 'none' | 'enter' | 'stay' | 'leave'

/** `zones` are the states of those that have counted nodes now; a zone without any has no say. */
export function judgeDisruption(
  before: FleetRecord['disruption'],
  zones: readonly ZoneState[],
): Turn {
  const isDisrupted = before !== 'none'
  if (zones.length === 0) return isDisrupted ? 'stay' : 'none'
  const allFull = zones.every((state) => state === 'FullDisruption')
  if (allFull) return isDisrupted ? 'stay' : 'enter'
  return isDisrupted ? 'leave' : 'none'
}

/** The fleet after the turn. Leaving sets the floor: every clock starts afresh. */
export function turnFleet(fleet: FleetRecord, turn: Turn, nowMs: number): FleetRecord {
  if (turn === 'enter') return { ...fleet, disruption: 'entering', disruptionSinceMs: nowMs }
  if (turn !== 'leave') return fleet
  const { disruptionSinceMs: _over, ...rest } = fleet
  return { ...rest, disruption: 'none', floorMs: Math.max(fleet.floorMs, nowMs) }
}

export function newZone(settings: Settings, nowMs: number): ZoneRecord {
  const limiter = fullLimiter(settings.nodeEvictionRate, nowMs)
  return { state: 'Initial', sinceMs: nowMs, limiter, size: 0, notReady: 0, stops: [], held: [] }
}

export interface Turning {
  readonly turn: Turn
  readonly settings: Settings
  readonly nowMs: number
}

/**
 * A zone's record after this tick, apart from the tokens that will be spent. The same record if
 * nothing changed.
 */
export function turnZone(before: ZoneRecord, count: ZoneCount, turning: Turning): ZoneRecord {
  const state = stateOf(count, turning.settings)
  const sinceMs = state === before.state ? before.sinceMs : turning.nowMs
  const limiter = turnLimiter(before, { ...count, state }, turning)
  const { size, notReady } = count
  const same =
    state === before.state &&
    limiter === before.limiter &&
    size === before.size &&
    notReady === before.notReady
  return same ? before : { ...before, state, sinceMs, limiter, size, notReady }
}

/** A zone of excluded nodes only has no health to speak of: it is as good as new. */
export function stateOf(count: ZoneCount, settings: Settings): ZoneState {
  return count.size === 0 ? 'Initial' : zoneStateOf(count, settings.unhealthyZoneThreshold)
}

type Counted = ZoneCount & { readonly state: ZoneState }

function turnLimiter(before: ZoneRecord, now: Counted, { turn, settings, nowMs }: Turning) {
  const isDisrupted = turn === 'enter' || turn === 'stay'
  if (isDisrupted && now.size > 0) {
    return before.limiter.stopped ? before.limiter : stoppedLimiter(nowMs)
  }
  if (turn === 'none' && keepsRate(before, now, settings)) return before.limiter
  return changeRate(before.limiter, evictionRate(now.state, now.size, settings), nowMs)
}

/**
 * Rates follow changes of state, not of size: a partly disrupted zone that crosses the
 * large-cluster threshold keeps the rate it was given.
 */
function keepsRate(before: ZoneRecord, now: Counted, settings: Settings): boolean {
  if (now.state !== 'PartialDisruption' || before.state !== now.state) return false
  const { rate } = before.limiter
  return rate === 0 || rate === settings.secondaryNodeEvictionRate
}

/**
 * A zone without nodes is forgotten only once its bucket is full again, or coming back would win it
 * a token.
 */
export function mayForget(zone: ZoneRecord, settings: Settings, nowMs: number): boolean {
  if (zone.stops.some((stop) => stop.untilMs === undefined)) return false
  return canGrant(zone.limiter, nowMs) || settings.nodeEvictionRate <= 0
}
