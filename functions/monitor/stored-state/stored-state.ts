/**
 * What is stored about the fleet and its zones, as far as this tick knows: as it was read, then as
 * the tick's own writes left it. The first write of each record states the version that was judged;
 * those that follow build on our own.
 */
import type { Settings } from '../../../shared/lifecycle/settings.ts'
import type { FleetRecord, World, ZoneRecord } from '../../../shared/lifecycle/world.ts'
import { newFleet, newZone } from '../../../shared/lifecycle/zones/disruption.ts'
import { nameOfZone } from '../../../shared/lifecycle/zones/zone-state.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Key, StoredObject } from '../../../shared/store/ports.ts'
import type { MonitorSession } from '../session.ts'
import { fleetKey, fleetRecordOf, keyOfZone, zoneRecordOf } from './objects.ts'

export interface StoredState {
  fleet: StoredObject | undefined
  /** Another writer was faster: nothing more rests on it until the next tick reads it again. */
  isFleetStale: boolean
  /** By zone key. */
  readonly zones: Map<string, StoredObject>
  readonly staleZones: Set<string>
}

/** Read consistently. */
export async function readState(session: MonitorSession): Promise<StoredState> {
  const [fleet, zones] = await Promise.all([
    session.deps.store.objects.get('fleets', fleetKey),
    readZones(session),
  ])
  return {
    fleet,
    isFleetStale: false,
    zones: new Map(zones.map((zone) => [keyOfZone(zone.object), zone])),
    staleZones: new Set(),
  }
}

/** Those of the last tick and of every node; a monitor without a last tick reads all there are. */
async function readZones(session: MonitorSession): Promise<readonly StoredObject[]> {
  const { objects } = session.deps.store
  if (session.knownZones === 'unknown') return (await objects.list('zones', {})).items
  const keys = new Map<string, Key>(session.knownZones.map((key) => [keyText(key), key]))
  for (const zoneKey of session.zoneSizes.keys()) {
    const key = { namespace: '', name: nameOfZone(zoneKey) }
    keys.set(keyText(key), key)
  }
  return keys.size === 0 ? [] : await objects.read('zones', [...keys.values()])
}

/** The same as a decision wants it. */
export function recordsIn(
  { fleet, zones }: StoredState,
  settings: Settings,
  nowMs: number,
): Pick<World, 'zones' | 'fleet'> {
  const records = [...zones].map(([key, stored]) => {
    const { version } = stored
    return [key, { version, value: zoneRecordIn(stored, settings, nowMs) }] as const
  })
  return {
    zones: new Map(records),
    ...(fleet && { fleet: { version: fleet.version, value: fleetRecordIn(fleet) } }),
  }
}

/** An object that an operator made by hand holds no record yet: the zone is as good as new. */
export function zoneRecordIn(stored: StoredObject, settings: Settings, nowMs: number): ZoneRecord {
  return zoneRecordOf(stored) ?? newZone(settings, nowMs)
}

export const fleetRecordIn = (stored: StoredObject): FleetRecord =>
  fleetRecordOf(stored) ?? newFleet()
