/** Everything this API serves. Adding a resource is adding a file and a line here. */
import type { Resource } from './resource.ts'
import { cells } from './resources/cells.ts'
import { events } from './resources/events.ts'
import { fleets } from './resources/fleets.ts'
import { leases } from './resources/leases.ts'
import { namespaces } from './resources/namespaces.ts'
import { nodes } from './resources/nodes.ts'
import { pods } from './resources/pods.ts'
import { zones } from './resources/zones.ts'

export const resources: readonly Resource[] = [
  events,
  namespaces,
  nodes,
  pods,
  leases,
  zones,
  fleets,
  cells,
]

const byName = new Map(
  resources.map((resource) => [keyOf(resource.group, resource.plural), resource]),
)

function keyOf(group: string, plural: string): string {
  return `${plural}.${group}`
}

export const findResource = (group: string, plural: string): Resource | undefined =>
  byName.get(keyOf(group, plural))
