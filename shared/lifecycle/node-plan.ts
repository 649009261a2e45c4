/** What one node's object becomes, all reasons together in one write. */
import type { ConditionStatus, Node, NodeCondition, Taint } from '../kube/objects.ts'
import { reconcileLabels } from './label-reconcile.ts'
import {
  hasLifecycleTaint,
  judgeTaints,
  swapTaint,
  withoutForeignTaints,
  withoutLifecycleTaints,
} from './noexecute.ts'
import { reconcileNoSchedule } from './noschedule.ts'
import { taintsOf } from './taints.ts'
import type { KnownNode, UpdateReason } from './world.ts'

export interface NodePlan {
  readonly node: KnownNode
  /** Set when the host is declared silent in this tick. */
  readonly conditions?: readonly NodeCondition[]
  readonly deadlineMs: number
  readonly taints: readonly Taint[]
  readonly labels?: Readonly<Record<string, string>>
  readonly why: readonly UpdateReason[]
}

export interface Look {
  readonly current: ConditionStatus | undefined
  readonly isNew: boolean
  /** While blind or stopped nobody is tainted, not even by a swap. */
  readonly maySwap: () => boolean
  readonly nowMs: number
}

/**
 * Undefined for a node that is as it ought to be and has nothing to lose: nearly all of them,
 * nearly always.
 */
export function planNode(
  node: KnownNode,
  look: Look,
  conditions: readonly NodeCondition[] | undefined,
  deadlineMs: number,
): NodePlan | undefined {
  const present = taintsOf(node.object)
  const silenced = conditions ? withConditions(node.object, conditions) : node.object
  const scheduled = reconcileNoSchedule(silenced, look.nowMs)
  const labels = reconcileLabels(node.object.metadata.labels)
  const isClean = scheduled === present && !labels && !conditions
  if (isClean && !hasLifecycleTaint(present)) return undefined

  const why: UpdateReason[] = []
  if (scheduled !== present) why.push('noSchedule')
  if (labels) why.push('labels')
  const taints = executeTaints(node.object, scheduled, look, why)
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
  look: Look,
  why: UpdateReason[],
): readonly Taint[] {
  const tainting = judgeTaints(look.current, taints)
  if (tainting === 'reachable') {
    why.push('reachable')
    return withoutLifecycleTaints(taints)
  }
  if (tainting === 'swap' && look.maySwap()) {
    why.push('swap')
    return swapTaint(taints, look.current === 'False' ? 'False' : 'Unknown', look.nowMs)
  }
  if (!look.isNew) return taints
  const own = withoutForeignTaints({ ...node, spec: { ...node.spec, taints } })
  if (own !== taints) why.push('foreignTaint')
  return own
}

/** In a fleet-wide disruption every lifecycle taint goes, whatever else was planned. */
export function stripped(plan: NodePlan): NodePlan {
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
