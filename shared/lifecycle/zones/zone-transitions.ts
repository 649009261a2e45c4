/**
 * After all nodes: what state is every zone in, does the fleet enter or leave full disruption, and
 * what is written about it?
 */

import { canJudge, type DecisionDraft, tallyOf, type ZoneTally } from '../decision-draft.ts'
import { hasLifecycleTaint } from '../taints/node-taints.ts'
import { taintsOf } from '../taints/taints.ts'
import type { HoldReason, ZoneChange, ZoneRecord } from '../world.ts'
import {
  type FleetTransition,
  judgeDisruption,
  mayForget,
  newZone,
  stateOf,
  transitionFleet,
  transitionZone,
} from './disruption.ts'
import { zoneHoldReason } from './holds.ts'

export interface ZoneTransitions {
  readonly fleet: FleetTransition
  /** By zone key, for zones that have nodes. */
  readonly zones: ReadonlyMap<string, ZoneRecord>
}

/** While blind the zones stay as they were: what cannot be seen has not changed. */
export function transitionZones(draft: DecisionDraft): ZoneTransitions {
  for (const key of draft.world.zones.keys()) tallyOf(draft, key)
  const fleet = !canJudge(draft) ? 'none' : judgeFleetTransition(draft)
  draft.fleet = transitionFleet(draft.fleet, fleet, draft.nowMs)

  const zones = new Map<string, ZoneRecord>()
  for (const tally of draft.zones.values()) {
    const before = tally.stored?.value ?? newZone(draft.settings, draft.nowMs)
    const { settings, nowMs } = draft
    const after = !canJudge(draft)
      ? before
      : transitionZone(before, tally, { fleet, settings, nowMs })
    zones.set(tally.key, withHeld(after, heldIn(draft, tally, after)))
  }
  return { fleet, zones }
}

function judgeFleetTransition(draft: DecisionDraft): FleetTransition {
  const counted = [...draft.zones.values()].filter((tally) => tally.size > 0)
  const states = counted.map((tally) => stateOf(tally, draft.settings))
  return judgeDisruption(draft.fleet.disruption, states)
}

function heldIn(draft: DecisionDraft, tally: ZoneTally, zone: ZoneRecord): HoldReason[] {
  const held: HoldReason[] = []
  const stop = zoneHoldReason(draft, tally.key)
  if (stop) held.push(stop)
  if (draft.fleet.disruption !== 'none' && tally.size > 0) held.push('fleetDisrupted')
  else if (zone.limiter.stopped) held.push('zoneStopped')
  if (draft.settings.observe) held.push('observe')
  return held
}

function withHeld(zone: ZoneRecord, held: readonly HoldReason[]): ZoneRecord {
  const isSame = held.length === zone.held.length && held.every((why, i) => why === zone.held[i])
  return isSame ? zone : { ...zone, held }
}

/**
 * Records come first: limiters are stopped before the first taint is stripped. A doubtful clock
 * records nothing.
 */
export function recordFleetAndZones(draft: DecisionDraft, transitions: ZoneTransitions): void {
  const { fleet: transition } = transitions
  if (hasEntered(draft, transition)) draft.fleet = { ...draft.fleet, disruption: 'entered' }
  if (draft.world.visibility.kind === 'doubtful') return
  const zones = zoneChanges(draft, transitions)
  const fleet = fleetChange(draft)
  if (transition === 'enter' || transition === 'leave') {
    const action = transition === 'enter' ? 'enterDisruption' : 'leaveDisruption'
    draft.actions.push({ do: action, fleet, zones })
    return
  }
  for (const zone of zones) draft.actions.push({ do: 'zoneChanged', zone })
  if (draft.fleet === draft.world.fleet?.value) return
  draft.actions.push({ do: 'changeFleet', fleet })
}

/** What changes in the zones that stay; zones that may be forgotten are dropped here. */
function zoneChanges(draft: DecisionDraft, { zones }: ZoneTransitions): readonly ZoneChange[] {
  const changes: ZoneChange[] = []
  for (const tally of draft.zones.values()) {
    const next = zones.get(tally.key)!
    const { stored } = tally
    if (tally.nodes === 0 && stored && canJudge(draft)) {
      if (mayForget(next, draft.settings, draft.nowMs)) {
        draft.actions.push({ do: 'dropZone', key: tally.key, believed: stored.version })
        continue
      }
    }
    if (next === stored?.value) continue
    changes.push({ key: tally.key, next, ...(stored && { believed: stored.version }) })
  }
  return changes
}

function fleetChange(draft: DecisionDraft) {
  const { fleet } = draft.world
  return { next: draft.fleet, ...(fleet && { believed: fleet.version }) }
}

/**
 * Entering is over when every limiter was stored as stopped and no lifecycle taint is left
 * anywhere.
 */
function hasEntered(draft: DecisionDraft, transition: FleetTransition): boolean {
  if (transition !== 'stay' || draft.fleet.disruption !== 'entering') return false
  for (const tally of draft.zones.values()) {
    if (tally.size > 0 && !tally.stored?.value.limiter.stopped) return false
  }
  for (const { node } of draft.plans.values()) {
    if (hasLifecycleTaint(taintsOf(node.object))) return false
  }
  return true
}
