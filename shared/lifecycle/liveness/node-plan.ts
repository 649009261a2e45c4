/** What one node's object becomes, all reasons together in one write. */
import type { ConditionStatus, Node, NodeCondition, Taint } from '../../kube/objects.ts'
import {
  hasLifecycleTaint,
  judgeTaints,
  reconcileNoSchedule,
  swapTaint,
  withoutForeignTaints,
  withoutLifecycleTaints,
} from '../taints/node-taints.ts'
import { taintsOf } from '../taints/taints.ts'
import type { KnownNode, UpdateReason } from '../world.ts'

export interface NodePlan {
  readonly node: KnownNode
  /** Set when the node is marked Unknown in this tick. */
  readonly conditions?: readonly NodeCondition[]
  readonly deadlineMs: number
  readonly taints: readonly Taint[]
  readonly labels?: Labels
  readonly why: readonly UpdateReason[]
}

interface NodeObservation {
  readonly current: ConditionStatus | undefined
  readonly isNew: boolean
  /** While blind or paused no node is tainted, not even by a swap. */
  readonly maySwap: boolean
  readonly nowMs: number
}

/**
 * Undefined for a node that needs no write and carries no lifecycle taint: nearly all of them,
 * nearly always.
 */
export function planNode(
  node: KnownNode,
  observation: NodeObservation,
  conditions: readonly NodeCondition[] | undefined,
  deadlineMs: number,
): NodePlan | undefined {
  const present = taintsOf(node.object)
  const silenced = conditions ? withConditions(node.object, conditions) : node.object
  const scheduled = reconcileNoSchedule(silenced, observation.nowMs)
  const labels = reconcileLabels(node.object.metadata.labels)
  const isClean = scheduled === present && !labels && !conditions
  if (isClean && !hasLifecycleTaint(present)) return undefined

  const why: UpdateReason[] = []
  if (scheduled !== present) why.push('noSchedule')
  if (labels) why.push('labels')
  const taints = executeTaints(node.object, scheduled, observation, why)
  return {
    node,
    deadlineMs,
    taints,
    why,
    ...(conditions && { conditions }),
    ...(labels && { labels }),
  }
}

function executeTaints(
  node: Node,
  taints: readonly Taint[],
  observation: NodeObservation,
  why: UpdateReason[],
): readonly Taint[] {
  const tainting = judgeTaints(observation.current, taints)
  if (tainting === 'reachable') {
    why.push('reachable')
    return withoutLifecycleTaints(taints)
  }
  if (tainting === 'swap' && observation.maySwap) {
    why.push('swap')
    return swapTaint(
      taints,
      observation.current === 'False' ? 'False' : 'Unknown',
      observation.nowMs,
    )
  }
  if (!observation.isNew) return taints
  const own = withoutForeignTaints({ ...node, spec: { ...node.spec, taints } })
  if (own !== taints) why.push('foreignTaint')
  return own
}

/** In a fleet-wide disruption every lifecycle taint goes, whatever else was planned. */
export function stripLifecycleTaints(plan: NodePlan): NodePlan {
  const taints = withoutLifecycleTaints(plan.taints)
  if (taints === plan.taints) return plan
  return { ...plan, taints, why: [...plan.why.filter((why) => why !== 'swap'), 'disruption'] }
}

export function changesNode(plan: NodePlan): boolean {
  return plan.why.length > 0 || plan.conditions !== undefined
}

export function plannedNode({ node, conditions, taints, labels }: NodePlan): Node {
  const next = conditions ? withConditions(node.object, conditions) : node.object
  const metadata = labels ? { ...next.metadata, labels } : next.metadata
  return { ...next, metadata, spec: { ...next.spec, taints } }
}

function withConditions(node: Node, conditions: readonly NodeCondition[]): Node {
  return { ...node, status: { ...node.status, conditions } }
}

/** Old labels that must follow the stable ones. */
const LABEL_COPIES = [
  { from: 'kubernetes.io/os', to: 'beta.kubernetes.io/os' },
  { from: 'kubernetes.io/arch', to: 'beta.kubernetes.io/arch' },
] as const

type Labels = Readonly<Record<string, string>>

/** The node's labels with the copies set right, or undefined when nothing has to be written. */
function reconcileLabels(labels: Labels = {}): Labels | undefined {
  const wanted: Record<string, string> = {}
  for (const { from, to } of LABEL_COPIES) {
    const value = labels[from]
    if (value !== undefined && labels[to] !== value) wanted[to] = value
  }
  return Object.keys(wanted).length > 0 ? { ...labels, ...wanted } : undefined
}
