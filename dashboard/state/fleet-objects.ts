/** What the monitor says of zones and of the fleet, as the page reads it. */
import type { KubeObject } from '../../shared/kube/objects.ts'
import { PAUSED_ANNOTATION, type Fleet as WireFleet } from '../../shared/kube/resources/fleets.ts'
import type { Zone as WireZone } from '../../shared/kube/resources/zones.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { FleetRecord, ZoneRecord } from '../../shared/lifecycle/world.ts'

/** An older or newer monitor may say less, and the page must stand that. */
export interface Zone extends Omit<WireZone, 'status'> {
  readonly status?: Partial<Omit<NonNullable<WireZone['status']>, 'record'>> & {
    readonly record?: ZoneRecord
  }
}

export interface Fleet extends Omit<WireFleet, 'status'> {
  readonly status?: Partial<Omit<NonNullable<WireFleet['status']>, 'record' | 'settings'>> & {
    readonly record?: FleetRecord
    /** What differs from the defaults. */
    readonly settings?: Partial<Settings>
  }
}

/** The reason somebody gave; undefined while evictions are not paused. */
export const pausedBecause = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.annotations?.[PAUSED_ANNOTATION]

/** `resourceVersion` is when the server last wrote it, in microseconds. */
export function writtenAtMs({ metadata }: KubeObject): number | undefined {
  const micros = Number(metadata.resourceVersion)
  return Number.isFinite(micros) && micros > 0 ? micros / 1000 : undefined
}
