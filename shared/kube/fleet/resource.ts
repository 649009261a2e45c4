/** The fleet: one object about all nodes together, with the switch that pauses every eviction. */

import { ageColumn, integerColumn, nameColumn, textColumn } from '../columns.ts'
import { derived } from '../derived-resource.ts'
import type { Condition, KubeObject } from '../objects.ts'
import type { Resource } from '../resource.ts'
import { fleetSchema } from './schema.ts'

export interface Fleet extends KubeObject {
  readonly status?: FleetStatus
}

export interface FleetStatus {
  readonly nodes: number
  readonly ready: number
  readonly notReady: number
  readonly unknown: number
  readonly disruption: 'none' | 'entering' | 'entered'
  readonly blind: boolean
  readonly evictionsPaused: boolean
  readonly mode: 'act' | 'observe'
  readonly held: readonly string[]
  readonly message?: string
  readonly conditions: readonly Condition[]
  /** The last hour, a line a minute: seconds since 1970, ready, notReady, unknown. */
  readonly history: readonly string[]
  /** The Settings of shared/lifecycle/settings.ts: what the monitor was told. */
  readonly settings?: unknown
  /** The FleetRecord of shared/lifecycle/world.ts. */
  readonly record?: unknown
}

/** There is one. */
export const FLEET_NAME = 'fleet'

/** On a Zone or on the Fleet; the value is the reason. */
export const PAUSED_ANNOTATION = 'leasehold.dev/evictions-paused'

export const fleets: Resource<Fleet> = {
  ...derived<Fleet>(),
  plural: 'fleets',
  singular: 'fleet',
  kind: 'Fleet',
  schema: fleetSchema,
  columns: [
    nameColumn,
    integerColumn<Fleet>('Nodes', 'How many nodes there are.', ({ status }) => status?.nodes ?? 0),
    integerColumn<Fleet>('Ready', 'How many are Ready.', ({ status }) => status?.ready ?? 0),
    integerColumn<Fleet>('Unknown', 'How many are silent.', ({ status }) => status?.unknown ?? 0),
    textColumn<Fleet>('Held', 'Why something is held back everywhere.', heldIn),
    ageColumn,
  ],
}

function heldIn({ status }: Fleet): string {
  return status?.held.join(',') || '<none>'
}
