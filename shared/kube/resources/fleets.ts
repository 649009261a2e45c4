/** The fleet: one object about all nodes together, with the switch that pauses every eviction. */
import type { Condition, KubeObject } from '../objects.ts'
import type { Column, Resource } from '../resource.ts'
import { fleetSchema } from '../schemas/fleet.ts'
import { ageColumn, nameColumn, textColumn } from './columns.ts'
import { derived } from './derived.ts'

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
    countColumn('Nodes', 'How many nodes there are.', (status) => status.nodes),
    countColumn('Ready', 'How many are Ready.', (status) => status.ready),
    countColumn('Unknown', 'How many are silent.', (status) => status.unknown),
    textColumn<Fleet>('Held', 'Why something is held back everywhere.', heldIn),
    ageColumn,
  ],
}

function countColumn(
  name: string,
  description: string,
  count: (status: FleetStatus) => number,
): Column<Fleet> {
  const cell = ({ status }: Fleet) => (status ? count(status) : 0)
  return { name, type: 'integer', format: '', description, priority: 0, cell }
}

function heldIn({ status }: Fleet): string {
  return status?.held.join(',') || '<none>'
}
