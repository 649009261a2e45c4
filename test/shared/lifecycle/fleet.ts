/** Small worlds to decide about. */
import type { Node } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { Beat, FleetRecord, KnownNode, World } from '../../../shared/lifecycle/world.ts'

export function knownNode(object: Node, receivedAtMs?: number): KnownNode {
  const { name = '', uid = '' } = object.metadata
  const received = receivedAtMs !== undefined && { receivedAtMs }
  return { resource: 'nodes', key: { namespace: '', name }, uid, version: 1, object, ...received }
}

export function readyNode(
  name: string,
  zone = 'a',
  extra: Partial<Node['metadata']> = {},
): KnownNode {
  return knownNode({
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: formatTime(0),
      labels: { 'topology.kubernetes.io/zone': zone },
      ...extra,
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
}

export function beatOf(name: string, receivedAtMs: number): Beat {
  return { name, version: 1, holderIdentity: name, receivedAtMs }
}

export const calmFleet: FleetRecord = {
  disruption: 'none',
  floorMs: 0,
  blind: [],
  stops: [],
  greetedThroughMs: 0,
}

export function worldOf(
  nodes: readonly KnownNode[],
  beats: readonly Beat[],
  more: Partial<World> = {},
): World {
  return {
    nodes: new Map(nodes.map((node) => [node.key.name, node])),
    beats: new Map(beats.map((beat) => [beat.name, beat])),
    podsByNode: new Map(),
    zones: new Map(),
    fleet: { version: 1, value: calmFleet },
    greeted: new Map(nodes.map((node) => [node.key.name, node.uid])),
    signs: {},
    ...more,
  }
}
