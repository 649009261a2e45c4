/**
 * Do two machines claim one node name? Our agent's `holderIdentity` is `<node>_<machine>`, so the
 * holder rule refuses the second while the first is alive, and this says why. A plain kubelet
 * writes only the node name: two of those cannot be told apart by their lease.
 */
import type { Event, Node } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'

export interface RivalClaim {
  readonly nodeName: string
  readonly holdingMachine: string
  readonly refusedMachine: string
}

export const holderOf = (nodeName: string, machine: string) => `${nodeName}_${machine}`

/** The machine in a holder of this node's lease; undefined when the holder does not name one. */
export function machineIn(nodeName: string, holderIdentity: string): string | undefined {
  const prefix = `${nodeName}_`
  return holderIdentity.startsWith(prefix) ? holderIdentity.slice(prefix.length) : undefined
}

/** For a lease write that was answered `held`: was it another machine under the same node name? */
export function rivalClaim(
  nodeName: string,
  held: string | undefined,
  wanted: string | undefined,
): RivalClaim | undefined {
  const holdingMachine = machineIn(nodeName, held ?? '')
  const refusedMachine = machineIn(nodeName, wanted ?? '')
  if (!holdingMachine || !refusedMachine || holdingMachine === refusedMachine) return undefined
  return { nodeName, holdingMachine, refusedMachine }
}

/**
 * The Event that tells people. One name per pair of machines, so that repeats are one event and not
 * a flood.
 */
export function rivalEvent(claim: RivalClaim, node: Node, nowMs: number): Event {
  const { nodeName, holdingMachine, refusedMachine } = claim
  const time = formatTime(nowMs)
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name: `${nodeName}.rival.${nameable(refusedMachine)}` },
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

const nameable = (machine: string) =>
  machine
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .slice(0, 40) || 'unnamed'
