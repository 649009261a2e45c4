/** Zones and the fleet as the monitor reports them. Older and newer monitors may report less. */
import { type Fleet, PAUSED_ANNOTATION } from '../../shared/kube/fleet/resource.ts'
import type { KubeObject } from '../../shared/kube/objects.ts'
import type { Zone } from '../../shared/kube/zone/resource.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { FleetRecord, ZoneRecord } from '../../shared/lifecycle/world.ts'

export interface ReportedZone extends Omit<Zone, 'status'> {
  readonly status?: Partial<Omit<NonNullable<Zone['status']>, 'record'>> & {
    readonly record?: ZoneRecord
  }
}

export interface ReportedFleet extends Omit<Fleet, 'status'> {
  readonly status?: Partial<Omit<NonNullable<Fleet['status']>, 'record' | 'settings'>> & {
    readonly record?: FleetRecord
    /** What differs from the defaults. */
    readonly settings?: Partial<Settings>
  }
}

/** The operator's reason; undefined while evictions are not paused. */
export const pausedBecause = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.annotations?.[PAUSED_ANNOTATION]

/** A resourceVersion is the server's time of the write, in microseconds. */
export function resourceVersionMs({ metadata }: KubeObject): number | undefined {
  const micros = Number(metadata.resourceVersion)
  return Number.isFinite(micros) && micros > 0 ? micros / 1000 : undefined
}
