/** A zone's record as an object: exactly, for the next monitor, and in words, for people. */
import type { Zone, ZoneStatus } from '../../shared/kube/resources/zones.ts'
import { formatMicroTime, formatTime } from '../../shared/kube/time.ts'
import { zoneName } from '../../shared/kube/zone-name.ts'
import { openInterval } from '../../shared/lifecycle/blindness.ts'
import { nextGrantMs } from '../../shared/lifecycle/limiter.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { ZoneRecord } from '../../shared/lifecycle/world.ts'
import type { StoredObject } from '../../shared/store/ports.ts'
import { messageOf } from './hold-message.ts'

/** A zone key is region, colon, NUL, colon, zone; empty when a node says neither. */
const SEPARATOR = ':\u0000:'

const partsOf = (key: string) => {
  const [region = '', zone = ''] = key.split(SEPARATOR)
  return { region, zone }
}

export function nameOfZone(key: string): string {
  const { region, zone } = partsOf(key)
  return zoneName(region, zone)
}

export function keyOfZone({ spec }: Zone): string {
  const { region = '', zone = '' } = spec ?? {}
  return region === '' && zone === '' ? '' : `${region}${SEPARATOR}${zone}`
}

export function newZoneObject(key: string, uid: string, nowMs: number): Zone {
  const { region, zone } = partsOf(key)
  return {
    apiVersion: 'leasehold.dev/v1',
    kind: 'Zone',
    metadata: { name: nameOfZone(key), uid, creationTimestamp: formatTime(nowMs) },
    spec: { ...(region && { region }), ...(zone && { zone }) },
  }
}

/** Undefined for an object that holds none: then the zone is as good as new. */
export function recordOf({ object }: StoredObject): ZoneRecord | undefined {
  return (object as Zone).status?.record as ZoneRecord | undefined
}

export function withRecord(zone: Zone, record: ZoneRecord, settings: Settings): Zone {
  return { ...zone, status: statusOf(record, settings) }
}

/** Made of the record alone, so that it is written exactly when the record changes. */
function statusOf(record: ZoneRecord, settings: Settings): ZoneStatus {
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
    ...(held.length > 0 && { held, message: messageOf(held) }),
    record,
  }
}

const fraction = (value: number) => String(Number(value.toFixed(4)))
