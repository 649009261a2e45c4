/** Everything this API serves. Adding a resource is adding a file and a line here. */

import { cells } from './cells/resource.ts'
import { csiDrivers } from './csidriver/resource.ts'
import { csiNodes } from './csinode/resource.ts'
import { eventsV1 } from './event/events-v1.ts'
import { events } from './event/resource.ts'
import { explanations } from './explanation/resource.ts'
import { fleets } from './fleet/resource.ts'
import { leases } from './lease/resource.ts'
import { namespaces } from './namespace/resource.ts'
import { nodes } from './node/resource.ts'
import { pods } from './pod/resource.ts'
import type { Resource } from './resource.ts'
import { runtimeClasses } from './runtimeclass/resource.ts'
import { services } from './service/resource.ts'
import { zones } from './zone/resource.ts'

export const resources: readonly Resource[] = [
  events,
  namespaces,
  nodes,
  pods,
  services,
  leases,
  eventsV1,
  csiDrivers,
  csiNodes,
  runtimeClasses,
  zones,
  fleets,
  cells,
  explanations,
]

const byName = new Map(
  resources.map((resource) => [keyOf(resource.group, resource.plural), resource]),
)

function keyOf(group: string, plural: string): string {
  return `${plural}.${group}`
}

export const findResource = (group: string, plural: string): Resource | undefined =>
  byName.get(keyOf(group, plural))
