/**
 * The records of fleet and zones as objects: exactly, for the next monitor, and as a status that
 * people read.
 */
import { FLEET_NAME, type Fleet, type FleetStatus } from '../../../shared/kube/fleet/resource.ts'
import type { Condition } from '../../../shared/kube/objects.ts'
import { formatMicroTime, formatTime } from '../../../shared/kube/time.ts'
import type { Zone, ZoneStatus } from '../../../shared/kube/zone/resource.ts'
import { type Interval, openInterval } from '../../../shared/lifecycle/liveness/visibility.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { DecisionCounts, FleetRecord, ZoneRecord } from '../../../shared/lifecycle/world.ts'
import { holdMessage } from '../../../shared/lifecycle/zones/holds.ts'
import { nextGrantMs } from '../../../shared/lifecycle/zones/limiter.ts'
import { nameOfZone, zoneKeyOf, zonePartsOf } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'

// ---- the fleet ----------------------------------------------------------------------------------

export const fleetKey = { namespace: '', name: FLEET_NAME }

export function newFleetObject(uid: string, nowMs: number): Fleet {
  return {
    apiVersion: 'leasehold.dev/v1',
    kind: 'Fleet',
    metadata: { name: FLEET_NAME, uid, creationTimestamp: formatTime(nowMs) },
  }
}

export function fleetRecordOf({ object }: StoredObject): FleetRecord | undefined {
  return (object as Fleet).status?.record as FleetRecord | undefined
}

/** What the status shows beside the record. */
export interface FleetSummary {
  readonly counts: Pick<DecisionCounts, 'nodes' | 'ready' | 'notReady' | 'unknown' | 'missing'>
  readonly settings: Settings
  readonly history: readonly string[]
}

export function withFleetRecord(fleet: Fleet, record: FleetRecord, summary: FleetSummary): Fleet {
  return { ...fleet, status: fleetStatusOf(record, summary) }
}

function fleetStatusOf(
  record: FleetRecord,
  { counts, settings, history }: FleetSummary,
): FleetStatus {
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
    ...(held.length > 0 && { message: holdMessage(held) }),
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

// ---- zones --------------------------------------------------------------------------------------

export function keyOfZone({ spec }: Zone): string {
  const { region = '', zone = '' } = spec ?? {}
  return zoneKeyOf(region, zone)
}

export function newZoneObject(key: string, uid: string, nowMs: number): Zone {
  const { region, zone } = zonePartsOf(key)
  return {
    apiVersion: 'leasehold.dev/v1',
    kind: 'Zone',
    metadata: { name: nameOfZone(key), uid, creationTimestamp: formatTime(nowMs) },
    spec: { ...(region && { region }), ...(zone && { zone }) },
  }
}

/** Undefined for an object that holds none: then the zone is as good as new. */
export function zoneRecordOf({ object }: StoredObject): ZoneRecord | undefined {
  return (object as Zone).status?.record as ZoneRecord | undefined
}

export function withZoneRecord(zone: Zone, record: ZoneRecord, settings: Settings): Zone {
  return { ...zone, status: zoneStatusOf(record, settings) }
}

/** Made of the record alone, so that it is written exactly when the record changes. */
function zoneStatusOf(record: ZoneRecord, settings: Settings): ZoneStatus {
  const { state, size, notReady, limiter, held } = record
  const nextMs = nextGrantMs(limiter, 0)
  return {
    state,
    since: formatTime(record.sinceMs),
    nodes: size,
    notReady,
    unhealthyShare: size === 0 ? '0' : fraction(notReady / size),
    unhealthyThreshold: fraction(settings.unhealthyZoneThreshold),
    evictionRate: fraction(limiter.rate),
    ...(Number.isFinite(nextMs) && { nextTokenTime: formatMicroTime(nextMs * 1_000) }),
    ...(openInterval(record.stops) && { evictionsPaused: true }),
    ...(held.length > 0 && { held, message: holdMessage(held) }),
    record,
  }
}

const fraction = (value: number) => String(Number(value.toFixed(4)))
