/** May a host name this zone? A zone is a record that the monitor reads and judges in every tick. */
import { joiningNameOf, nodeNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject, Node } from '../../../shared/kube/objects.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import { nameOfZone, zoneKey } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { ResourceRequest } from '../deps.ts'

/** Of a fleet, for one more that a host brings. The largest regions have six zones; racks are more. */
const MAX_ZONES = 1_000

/** `old` is what is stored; absent on create. Reads only when the zone is another one. */
export async function requireRoomForZone(
  request: ResourceRequest,
  object: KubeObject,
  old?: KubeObject,
): Promise<void> {
  const { api, identity, resource } = request
  const host = nodeNameOf(identity) ?? joiningNameOf(identity)
  if (resource.plural !== 'nodes' || host === undefined) return
  const key = zoneKey(object as Node)
  if (key === '' || (old && zoneKey(old as Node) === key)) return
  const { objects } = api.store
  const name = nameOfZone(key)
  if (await objects.get('zones', { namespace: '', name })) return
  const { items } = await objects.list('zones', { limit: MAX_ZONES })
  if (items.length < MAX_ZONES) return
  const why = `the fleet has ${MAX_ZONES} zones, and "${name}" would be one more`
  throw forbidden(resource, object.metadata.name ?? '', why)
}
