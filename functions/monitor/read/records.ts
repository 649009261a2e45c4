/** The records of fleet and zones, read consistently, with the switches people have thrown. */
import { FLEET_NAME, PAUSED_ANNOTATION } from '../../../shared/kube/resources/fleets.ts'
import { newZone } from '../../../shared/lifecycle/disruption.ts'
import { pauseEvictions, resumeEvictions } from '../../../shared/lifecycle/holds.ts'
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import { newFleet } from '../../../shared/lifecycle/tick.ts'
import type { FleetRecord, Recorded, ZoneRecord } from '../../../shared/lifecycle/world.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Key, Store, StoredObject } from '../../../shared/store/ports.ts'
import { recordOf as fleetRecordOf } from '../fleet-object.ts'
import { keyOfZone, nameOfZone, recordOf as zoneRecordOf } from '../zone-object.ts'

export interface StoredRecords {
  readonly fleet: StoredObject | undefined
  /** By zone key. */
  readonly zones: ReadonlyMap<string, StoredObject>
}

/** `known` are the names of zones that were there before; a cold start asks for all. */
export async function readRecords(
  store: Store,
  zoneKeys: Iterable<string>,
  known: readonly Key[] | 'unknown',
): Promise<StoredRecords> {
  const [fleet, found] = await Promise.all([
    store.objects.get('fleets', { namespace: '', name: FLEET_NAME }),
    known === 'unknown' ? allZones(store) : someZones(store, zoneKeys, known),
  ])
  return { fleet, zones: new Map(found.map((zone) => [keyOfZone(zone.object), zone])) }
}

async function allZones(store: Store): Promise<readonly StoredObject[]> {
  const { items } = await store.objects.list('zones', {})
  return items
}

async function someZones(store: Store, zoneKeys: Iterable<string>, known: readonly Key[]) {
  const keys = new Map(known.map((key) => [keyText(key), key]))
  for (const zoneKey of zoneKeys) {
    const key = { namespace: '', name: nameOfZone(zoneKey) }
    keys.set(keyText(key), key)
  }
  return keys.size === 0 ? [] : await store.objects.read('zones', [...keys.values()])
}

// ---- switches -----------------------------------------------------------------------------------

/** The record with the pause begun or ended that its object asks for; the same one if neither. */
export function switched<T extends Pick<FleetRecord, 'stops'>>(
  record: T,
  { object }: StoredObject,
  nowMs: number,
): T {
  const reason = object.metadata.annotations?.[PAUSED_ANNOTATION]
  if (reason === undefined) return resumeEvictions(record, nowMs)
  return pauseEvictions(record, reason, nowMs)
}

export function zoneIn(stored: StoredObject, settings: Settings, nowMs: number): ZoneRecord {
  return zoneRecordOf(stored) ?? newZone(settings, nowMs)
}

export const fleetIn = (stored: StoredObject): FleetRecord => fleetRecordOf(stored) ?? newFleet()

export const recordedAs = <T>({ version }: StoredObject, value: T): Recorded<T> => ({
  version,
  value,
})
