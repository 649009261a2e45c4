/**
 * After all nodes: what every zone is now, whether the fleet turns, and what is written about it.
 */
import {
  judgeDisruption,
  mayForget,
  newZone,
  stateOf,
  type Turn,
  turnFleet,
  turnZone,
} from './disruption.ts'
import { stopOf } from './holds.ts'
import { hasLifecycleTaint } from './noexecute.ts'
import { taintsOf } from './taints.ts'
import { isBlind, type Tick, tallyOf, type ZoneTally } from './tick.ts'
import type { HoldReason, ZoneChange, ZoneRecord } from './world.ts'

export interface Turned {
  readonly turn: Turn
  /** By zone key, for zones that have nodes. */
  readonly zones: ReadonlyMap<string, ZoneRecord>
}

/** While blind the zones stay as they were: what cannot be seen has not changed. */
export function turnZones(tick: Tick): Turned {
  for (const key of tick.world.zones.keys()) tallyOf(tick, key)
  const turn = isBlind(tick) ? 'none' : judgeTurn(tick)
  tick.fleet = turnFleet(tick.fleet, turn, tick.nowMs)

  const zones = new Map<string, ZoneRecord>()
  for (const tally of tick.zones.values()) {
    const before = tally.stored?.value ?? newZone(tick.settings, tick.nowMs)
    const { settings, nowMs } = tick
    const turned = isBlind(tick) ? before : turnZone(before, tally, { turn, settings, nowMs })
    zones.set(tally.key, withHeld(turned, heldIn(tick, tally, turned)))
  }
  return { turn, zones }
}

function judgeTurn(tick: Tick): Turn {
  const counted = [...tick.zones.values()].filter((tally) => tally.size > 0)
  const states = counted.map((tally) => stateOf(tally, tick.settings))
  return judgeDisruption(tick.fleet.disruption, states)
}

function heldIn(tick: Tick, tally: ZoneTally, zone: ZoneRecord): HoldReason[] {
  const held: HoldReason[] = []
  const stop = stopOf(tick, tally.key)
  if (stop) held.push(stop)
  if (tick.fleet.disruption !== 'none' && tally.size > 0) held.push('fleetDisrupted')
  else if (zone.limiter.stopped) held.push('zoneStopped')
  if (tick.settings.observe) held.push('observe')
  return held
}

function withHeld(zone: ZoneRecord, held: readonly HoldReason[]): ZoneRecord {
  const isSame = held.length === zone.held.length && held.every((why, i) => why === zone.held[i])
  return isSame ? zone : { ...zone, held }
}

/** Records come first: limiters are stopped before the first taint is stripped. */
export function writeZones(tick: Tick, { turn, zones }: Turned): void {
  if (tick.sight.kind === 'doubtful') return
  const changes: ZoneChange[] = []
  for (const tally of tick.zones.values()) {
    const next = zones.get(tally.key)!
    const { stored } = tally
    if (tally.nodes === 0 && stored && !isBlind(tick)) {
      if (mayForget(next, tick.settings, tick.nowMs)) {
        tick.actions.push({ do: 'dropZone', key: tally.key, believed: stored.version })
        continue
      }
    }
    if (next === stored?.value) continue
    changes.push({ key: tally.key, next, ...(stored && { believed: stored.version }) })
  }
  if (turn === 'enter' || turn === 'leave') {
    const action = turn === 'enter' ? 'enterDisruption' : 'leaveDisruption'
    tick.actions.push({ do: action, fleet: fleetChange(tick), zones: changes })
    return
  }
  for (const zone of changes) {
    const from = tick.zones.get(zone.key)?.stored?.value.state ?? 'Initial'
    tick.actions.push({ do: 'zoneChanged', zone, from })
  }
}

export function fleetChange(tick: Tick) {
  const { fleet } = tick.world
  return { next: tick.fleet, ...(fleet && { believed: fleet.version }) }
}

/**
 * Entering is over when every limiter was stored as stopped and no lifecycle taint is left
 * anywhere.
 */
export function hasEntered(tick: Tick, { turn }: Turned): boolean {
  if (turn !== 'stay' || tick.fleet.disruption !== 'entering') return false
  for (const tally of tick.zones.values()) {
    if (tally.size > 0 && !tally.stored?.value.limiter.stopped) return false
  }
  for (const { node } of tick.plans.values()) {
    if (hasLifecycleTaint(taintsOf(node.object))) return false
  }
  return true
}
