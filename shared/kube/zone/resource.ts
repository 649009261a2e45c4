/** Zones: groups of nodes that may fail together. Operators may only pause evictions in them. */

import { ageColumn, integerColumn, nameColumn, textColumn } from '../columns.ts'
import { derived } from '../derived-resource.ts'
import type { KubeObject } from '../objects.ts'
import type { Resource } from '../resource.ts'
import { zoneSchema } from './schema.ts'

export interface Zone extends KubeObject {
  readonly spec?: { readonly region?: string; readonly zone?: string }
  readonly status?: ZoneStatus
}

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption'

export interface ZoneStatus {
  readonly state: ZoneState
  readonly since?: string
  readonly nodes: number
  readonly notReady: number
  readonly unhealthyShare: string
  readonly unhealthyThreshold?: string
  readonly evictionRate: string
  readonly nextTokenTime?: string
  readonly evictionsPaused?: boolean
  readonly held?: readonly string[]
  readonly message?: string
  /** The ZoneRecord of shared/lifecycle/world.ts. */
  readonly record?: unknown
}

export const zones: Resource<Zone> = {
  ...derived<Zone>(),
  plural: 'zones',
  singular: 'zone',
  kind: 'Zone',
  schema: zoneSchema,
  columns: [
    nameColumn,
    textColumn<Zone>('State', 'How disrupted the zone is.', (zone) => zone.status?.state ?? ''),
    integerColumn<Zone>(
      'Nodes',
      'How many nodes count in the zone.',
      ({ status }) => status?.nodes ?? 0,
    ),
    integerColumn<Zone>(
      'NotReady',
      'How many of them are not ready.',
      ({ status }) => status?.notReady ?? 0,
    ),
    textColumn<Zone>('Rate', 'Nodes a second that may be tainted NoExecute.', rateOf),
    ageColumn,
  ],
}

function rateOf({ status }: Zone): string {
  if (status?.evictionsPaused) return 'paused'
  return status ? `${status.evictionRate}/s` : ''
}
