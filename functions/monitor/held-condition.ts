/**
 * What is held back from a node is shown on it, as a condition of our own that is otherwise absent.
 */
import type { Node, NodeCondition } from '../../shared/kube/objects.ts'
import { formatTime } from '../../shared/kube/time.ts'
import { conditionOf } from '../../shared/lifecycle/conditions.ts'
import type { HoldReason } from '../../shared/lifecycle/world.ts'
import { messageOf } from './hold-message.ts'

export const HELD_CONDITION = 'EvictionHeld'

export const heldOf = (node: Node): NodeCondition | undefined => conditionOf(node, HELD_CONDITION)

/** The node saying so; the same one if it says so already. */
export function withHeld(node: Node, why: HoldReason | undefined, nowMs: number): Node {
  const before = heldOf(node)
  if (before?.reason === why) return node
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== HELD_CONDITION)
  const held = why ? [heldCondition(why, nowMs)] : []
  return { ...node, status: { ...node.status, conditions: [...others, ...held] } }
}

function heldCondition(reason: HoldReason, nowMs: number): NodeCondition {
  return {
    type: HELD_CONDITION,
    status: 'True',
    reason,
    message: messageOf([reason]),
    lastTransitionTime: formatTime(nowMs),
  }
}
