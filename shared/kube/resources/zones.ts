/**
 * Zones: groups of nodes that may fail together. Derived by the monitor; the API only shows them.
 */
import { nameFields } from '../metadata.ts'
import type { KubeObject } from '../objects.ts'
import type { Column, Resource } from '../resource.ts'
import { zoneSchema } from '../schemas/zone.ts'
import { ageColumn, nameColumn, textColumn } from './columns.ts'

export interface Zone extends KubeObject {
  readonly spec?: { readonly region?: string; readonly zone?: string }
  readonly status?: ZoneStatus
}

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption'

export interface ZoneStatus {
  readonly state: ZoneState
  readonly nodes: number
  readonly notReady: number
  readonly unhealthyShare: string
  readonly unhealthyThreshold?: string
  readonly evictionRate: string
  readonly nextTokenTime?: string
  readonly evictionsPaused?: boolean
  readonly message?: string
}

const same = (zone: Zone): Zone => zone

export const zones: Resource<Zone> = {
  group: 'leasehold.dev',
  version: 'v1',
  plural: 'zones',
  singular: 'zone',
  kind: 'Zone',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: ['get', 'list', 'watch'],
  subresources: [],
  schema: zoneSchema,
  columns: [
    nameColumn,
    textColumn<Zone>('State', 'How disrupted the zone is.', (zone) => zone.status?.state ?? ''),
    countColumn('Nodes', 'How many nodes count in the zone.', (status) => status.nodes),
    countColumn('NotReady', 'How many of them are not ready.', (status) => status.notReady),
    textColumn<Zone>('Rate', 'Nodes a second that may be tainted NoExecute.', rateOf),
    ageColumn,
  ],
  selectable: nameFields,
  createOnUpdate: false,
  unconditionalUpdate: false,

  // Nothing is ever written through the API, so there is nothing to prepare or to refuse.
  withDefaults: same,
  prepareForCreate: same,
  prepareForUpdate: same,
  validateCreate: () => [],
  validateUpdate: () => [],
}

function countColumn(
  name: string,
  description: string,
  count: (status: ZoneStatus) => number,
): Column<Zone> {
  const cell = ({ status }: Zone) => (status ? count(status) : 0)
  return { name, type: 'integer', format: '', description, priority: 0, cell }
}

function rateOf({ status }: Zone): string {
  if (status?.evictionsPaused) return 'paused'
  return status ? `${status.evictionRate}/s` : ''
}
