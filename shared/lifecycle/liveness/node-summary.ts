/** In which state is this node, and since when? For lists and pictures of the whole fleet. */
import type { Node } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import { isLifecycleTaint, taintsOf } from '../taints/taints.ts'
import { readyOf } from './health.ts'

/** Worst first: a node is shown as the first that is true of it. */
export const nodeStates = ['evicting', 'unknown', 'notReady', 'cordoned', 'ready'] as const
export type NodeState = (typeof nodeStates)[number]

export interface NodeSummary {
  readonly name: string
  readonly state: NodeState
  /** When Ready last changed; 0 when it never reported. */
  readonly sinceSeconds: number
}

export function summarizeNode(node: Node): NodeSummary {
  const ready = readyOf(node)
  const sinceMs = parseTimeMs(ready?.lastTransitionTime ?? '') ?? 0
  return {
    name: node.metadata.name ?? '',
    state: stateOf(node, ready?.status),
    sinceSeconds: Math.floor(sinceMs / 1000),
  }
}

function stateOf(node: Node, ready: string | undefined): NodeState {
  if (taintsOf(node).some(isLifecycleTaint)) return 'evicting'
  if (ready === undefined || ready === 'Unknown') return 'unknown'
  if (ready === 'False') return 'notReady'
  return node.spec?.unschedulable ? 'cordoned' : 'ready'
}
