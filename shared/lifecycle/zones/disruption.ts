/**
 * The transitions of zones and of the fleet. When every zone is down at once, it is more likely
 * that the monitor cannot see than that all nodes died: then no pod is evicted.
 */

import type { ZoneState } from '../../kube/zone/resource.ts'
import type { Settings } from '../settings.ts'
import type { FleetRecord, ZoneRecord } from '../world.ts'
import { canGrant, changeRate, fullLimiter, stoppedLimiter } from './limiter.ts'
import { evictionRate, type ZoneCount, zoneStateOf } from './zone-state.ts'

export type FleetTransition = 'none' | 'enter' | 'stay' | 'leave'

/** `zones` are the states of those that have counted nodes now; a zone without any has no say. */
export function judgeDisruption(
  before: FleetRecord['disruption'],
  zones: readonly ZoneState[],
): FleetTransition {
  const isDisrupted = before !== 'none'
  if (zones.length === 0) return isDisrupted ? 'stay' : 'none'
  const allFull = zones.every((state) => state === 'FullDisruption')
  if (allFull) return isDisrupted ? 'stay' : 'enter'
  return isDisrupted ? 'leave' : 'none'
}

/** The fleet after the transition. Leaving sets the floor: every clock starts afresh. */
export function transitionFleet(
  fleet: FleetRecord,
  transition: FleetTransition,
  nowMs: number,
): FleetRecord {
  if (transition === 'enter') return { ...fleet, disruption: 'entering', disruptionSinceMs: nowMs }
  if (transition !== 'leave') return fleet
  const { disruptionSinceMs: _over, ...rest } = fleet
  return { ...rest, disruption: 'none', floorMs: Math.max(fleet.floorMs, nowMs) }
}

export function newFleet(): FleetRecord {
  return { disruption: 'none', floorMs: 0, blind: [], stops: [], greetedThroughMs: 0 }
}

export function newZone(settings: Settings, nowMs: number): ZoneRecord {
  const limiter = fullLimiter(settings.nodeEvictionRate, nowMs)
  return { state: 'Initial', sinceMs: nowMs, limiter, size: 0, notReady: 0, stops: [], held: [] }
}

interface TransitionContext {
  readonly fleet: FleetTransition
  readonly settings: Settings
  readonly nowMs: number
}

/**
 * A zone's record after this tick, apart from the tokens that will be spent. The same record if
 * nothing changed.
 */
export function transitionZone(
  before: ZoneRecord,
  count: ZoneCount,
  context: TransitionContext,
): ZoneRecord {
  const state = stateOf(count, context.settings)
  const sinceMs = state === before.state ? before.sinceMs : context.nowMs
  const limiter = transitionLimiter(before, { ...count, state }, context)
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

function transitionLimiter(
  before: ZoneRecord,
  now: Counted,
  { fleet, settings, nowMs }: TransitionContext,
) {
  const isDisrupted = fleet === 'enter' || fleet === 'stay'
  if (isDisrupted && now.size > 0) {
    return before.limiter.stopped ? before.limiter : stoppedLimiter(nowMs)
  }
  if (fleet === 'none' && keepsRate(before, now, settings)) return before.limiter
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
