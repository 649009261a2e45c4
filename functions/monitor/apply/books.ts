/**
 * The records of the fleet and its zones as they are after our own writes in this tick. The first
 * write of each states the version that was judged; those that follow build on our own.
 */
import type { Fleet } from '../../../shared/kube/resources/fleets.ts'
import type { Zone } from '../../../shared/kube/resources/zones.ts'
import type { FleetChange, ZoneChange } from '../../../shared/lifecycle/world.ts'
import type { Step, StoredObject } from '../../../shared/store/ports.ts'
import { newFleetObject, withRecord as withFleetRecord } from '../fleet-object.ts'
import { nameOfZone, newZoneObject, withRecord as withZoneRecord } from '../zone-object.ts'
import type { Applying } from './applying.ts'

export interface Books {
  fleet: StoredObject | undefined
  /** By zone key. */
  readonly zones: Map<string, StoredObject>
  /** Zones that somebody else has written since: hands off until they are read again. */
  readonly lostZones: Set<string>
  isFleetLost: boolean
}

export const openBooks = (
  fleet: StoredObject | undefined,
  zones: ReadonlyMap<string, StoredObject>,
): Books => ({ fleet, zones: new Map(zones), lostZones: new Set(), isFleetLost: false })

export type RecordStep = Extract<Step, { readonly do: 'createObject' | 'replaceObject' }>

export function zoneStep({ books, deps, nowMs }: Applying, change: ZoneChange): RecordStep {
  const believed = books.zones.get(change.key)
  const before = believed?.object ?? newZoneObject(change.key, deps.uuid(), nowMs)
  const object = withZoneRecord(before as Zone, change.next, deps.settings)
  return recordStep('zones', believed, object)
}

export function fleetStep({ books, deps, nowMs, view }: Applying, change: FleetChange): RecordStep {
  const before = books.fleet?.object ?? newFleetObject(deps.uuid(), nowMs)
  const object = withFleetRecord(before as Fleet, change.next, view)
  return recordStep('fleets', books.fleet, object)
}

function recordStep(
  resource: 'zones' | 'fleets',
  believed: StoredObject | undefined,
  object: Zone | Fleet,
): RecordStep {
  const fields = { 'metadata.name': object.metadata.name ?? '' }
  if (!believed) return { do: 'createObject', resource, object, fields }
  return { do: 'replaceObject', believed, object, fields }
}

/** The object as it now is in the store. */
export function recorded(step: RecordStep, version: number): StoredObject {
  const { object, fields } = step
  const metadata = { ...object.metadata, resourceVersion: String(version) }
  const now = { version, fields, object: { ...object, metadata } }
  if (step.do === 'replaceObject') {
    // Whether the labels are still the same, nobody looked.
    const { labelsSince: _since, ...known } = step.believed
    return { ...known, ...now }
  }
  const { name = '', uid = '' } = object.metadata
  return {
    resource: step.resource,
    key: { namespace: '', name },
    uid,
    createdVersion: version,
    ...now,
  }
}

export const zoneObjectKey = (key: string) => ({ namespace: '', name: nameOfZone(key) })
