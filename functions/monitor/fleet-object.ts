/** The fleet's record as an object: exactly, for the next monitor, and in words, for people. */
import type { Condition } from '../../shared/kube/objects.ts'
import { FLEET_NAME, type Fleet, type FleetStatus } from '../../shared/kube/resources/fleets.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { type Interval, openInterval } from '../../shared/lifecycle/blindness.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Counts, FleetRecord } from '../../shared/lifecycle/world.ts'
import type { StoredObject } from '../../shared/store/ports.ts'
import { messageOf } from './hold-message.ts'

export const fleetKey = { namespace: '', name: FLEET_NAME }

export function newFleetObject(uid: string, nowMs: number): Fleet {
  return {
    apiVersion: 'leasehold.dev/v1',
    kind: 'Fleet',
    metadata: { name: FLEET_NAME, uid, creationTimestamp: formatTime(nowMs) },
  }
}

export function recordOf({ object }: StoredObject): FleetRecord | undefined {
  return (object as Fleet).status?.record as FleetRecord | undefined
}

/** What people are shown beside the record. */
export interface FleetView {
  readonly counts: Pick<Counts, 'nodes' | 'ready' | 'notReady' | 'unknown' | 'missing'>
  readonly settings: Settings
  readonly history: readonly string[]
}

export function withRecord(fleet: Fleet, record: FleetRecord, view: FleetView): Fleet {
  return { ...fleet, status: statusOf(record, view) }
}

function statusOf(record: FleetRecord, { counts, settings, history }: FleetView): FleetStatus {
  const { observe } = settings
  const held = heldIn(record, observe)
  return {
    nodes: counts.nodes,
    ready: counts.ready,
    notReady: counts.notReady,
    unknown: counts.unknown + counts.missing,
    disruption: record.disruption,
    blind: openInterval(record.blind) !== undefined,
    evictionsPaused: openInterval(record.stops) !== undefined,
    mode: observe ? 'observe' : 'act',
    held,
    ...(held.length > 0 && { message: messageOf(held) }),
    conditions: conditionsOf(record),
    history,
    settings,
    record,
  }
}

function heldIn(record: FleetRecord, observe: boolean): readonly string[] {
  return [
    ...(openInterval(record.blind) ? ['blind'] : []),
    ...(openInterval(record.stops) ? ['fleetPaused'] : []),
    ...(record.disruption === 'none' ? [] : ['fleetDisrupted']),
    ...(observe ? ['observe'] : []),
  ]
}

function conditionsOf(record: FleetRecord): readonly Condition[] {
  const { disruption, disruptionSinceMs, floorMs } = record
  const isDisrupted = disruption !== 'none'
  const turnedMs = isDisrupted ? disruptionSinceMs : floorMs
  return [
    intervalCondition('Blind', record.blind, 'CannotSee', 'CanSee'),
    intervalCondition('EvictionsPaused', record.stops, 'PausedByOperator', 'NotPaused'),
    {
      type: 'Disrupted',
      status: isDisrupted ? 'True' : 'False',
      reason: isDisrupted ? 'EveryZoneIsDown' : 'SomeZonesLive',
      ...(turnedMs && { lastTransitionTime: formatTime(turnedMs) }),
    },
  ]
}

/** `kubectl wait --for=condition=Blind=false fleet/fleet` */
function intervalCondition(
  type: string,
  intervals: readonly Interval[],
  during: string,
  otherwise: string,
): Condition {
  const open = openInterval(intervals)
  const turnedMs = open ? open.fromMs : intervals.at(-1)?.untilMs
  return {
    type,
    status: open ? 'True' : 'False',
    reason: open ? during : otherwise,
    ...(open && { message: open.why }),
    ...(turnedMs !== undefined && { lastTransitionTime: formatTime(turnedMs) }),
  }
}
