/**
 * Do two machines use one node name? Our agent's `holderIdentity` is `<node>_<machine>`, so the holder
 * rule refuses the second machine while the first is alive, and this names both. A plain kubelet
 * writes only the node name: two of those cannot be told apart by their lease.
 */
import type { Event, Node } from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'

interface NodeNameConflict {
  readonly nodeName: string
  readonly holdingMachine: string
  readonly refusedMachine: string
}

/** The machine in a holder of this node's lease; undefined when the holder does not name one. */
export function machineIn(nodeName: string, holderIdentity: string): string | undefined {
  const prefix = `${nodeName}_`
  return holderIdentity.startsWith(prefix) ? holderIdentity.slice(prefix.length) : undefined
}

/** For a lease write that was answered `held`: was it another machine under the same node name? */
export function nodeNameConflict(
  nodeName: string,
  held: string | undefined,
  wanted: string | undefined,
): NodeNameConflict | undefined {
  const holdingMachine = machineIn(nodeName, held ?? '')
  const refusedMachine = machineIn(nodeName, wanted ?? '')
  if (!holdingMachine || !refusedMachine || holdingMachine === refusedMachine) return undefined
  return { nodeName, holdingMachine, refusedMachine }
}

/** The Event for operators. One name per refused machine, so that repeats are counted in one Event. */
export function nodeNameConflictEvent(
  conflict: NodeNameConflict,
  node: Node,
  nowMs: number,
): Event {
  const { nodeName, holdingMachine, refusedMachine } = conflict
  const time = formatTime(nowMs)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: `${nodeName}.rival.${eventNamePart(refusedMachine)}` },
    involvedObject: { kind: 'Node', apiVersion: 'v1', name: nodeName, uid: node.metadata.uid },
    type: 'Warning',
    reason: 'NodeNameConflict',
    message:
      `Machine ${refusedMachine} tried to beat as node ${nodeName}, ` +
      `which machine ${holdingMachine} holds. Give one of them another node name.`,
    source: { component: 'leasehold-api' },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  }
}

const eventNamePart = (machine: string) =>
  machine
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 40) || 'unnamed'
