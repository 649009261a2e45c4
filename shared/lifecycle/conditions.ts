/** Node conditions: how they are read, and what they become when a host falls silent. */
import type { Node, NodeCondition } from '../kube/objects.ts'

/** Those a silent host can no longer vouch for, in the order Kubernetes appends them. */
const VOUCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'] as const

/** The first of its type wins. */
export function conditionOf(node: Node, type: string): NodeCondition | undefined {
  const conditions = node.status?.conditions
  if (!conditions) return undefined
  for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

export const readyOf = (node: Node): NodeCondition | undefined => conditionOf(node, 'Ready')

/**
 * The conditions of a host that went silent. What is Unknown already keeps its reason and times.
 */
export function silencedConditions(node: Node, now: string): readonly NodeCondition[] {
  const conditions = [...(node.status?.conditions ?? [])]
  for (const type of VOUCHED) {
    const at = conditions.findIndex((condition) => condition.type === type)
    const found = conditions[at]
    if (!found) conditions.push(neverReported(node, type, now))
    else if (found.status !== 'Unknown') conditions[at] = wentSilent(found, now)
  }
  return conditions
}

function neverReported(node: Node, type: string, now: string): NodeCondition {
  return {
    type,
    status: 'Unknown',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
    lastTransitionTime: now,
  }
}

function wentSilent(condition: NodeCondition, now: string): NodeCondition {
  return {
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: now,
  }
}

/**
 * Did the monitor write this Unknown? Then its transition time is of our clock and may be compared.
 */
export function isDeclared(condition: NodeCondition): boolean {
  return condition.reason === 'NodeStatusUnknown' || condition.reason === 'NodeStatusNeverUpdated'
}
