/** Small worlds to decide about. */
import type { Node, Pod } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type {
  Beat,
  FleetRecord,
  KnownNode,
  KnownPod,
  World,
} from '../../../shared/lifecycle/world.ts'
import * as objects from '../../builders/objects.ts'

export function knownNode(object: Node, receivedAtMs?: number): KnownNode {
  const { name = '', uid = '' } = object.metadata
  const received = receivedAtMs !== undefined && { receivedAtMs }
  return { resource: 'nodes', key: { namespace: '', name }, uid, version: 1, object, ...received }
}

export const readyNode = (
  name: string,
  zone = 'a',
  metadata: Partial<Node['metadata']> = {},
): KnownNode => knownNode(objects.readyNode(name, { nowMs: 0, zone, metadata }))

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
    knownNodes: new Map(nodes.map((node) => [node.key.name, node.uid])),
    visibility: { kind: 'clear' },
    ...more,
  }
}

/** A node the monitor declared silent at an instant, NoSchedule taint and all. */
export function unknownNode(name: string, declaredAtMs: number, zone = 'a'): KnownNode {
  const { object, ...node } = readyNode(name, zone)
  const unreachable = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' } as const
  const ready = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    lastTransitionTime: formatTime(declaredAtMs),
  } as const
  return {
    ...node,
    object: { ...object, spec: { taints: [unreachable] }, status: { conditions: [ready] } },
  }
}

export function podOn(name: string, nodeName: string, more: Partial<Pod> = {}): KnownPod {
  const object: Pod = { ...objects.runningPod(name, nodeName, { nowMs: 0 }), ...more }
  const key = { namespace: 'default', name }
  return { resource: 'pods', key, uid: `uid-${name}`, version: 1, object }
}

export const zoneA = ':\u0000:a'
