/** What is worth telling about a node? Its birth and death, its health, its taints, its cordon. */
import type { ConditionStatus, Node, Taint } from '../../kube/objects.ts'
import { readyOf } from '../conditions.ts'
import { taintDifference } from '../taints.ts'
import type { News } from './domain-event.ts'

export function nodeNews(before: Node | undefined, after: Node | undefined): readonly News[] {
  if (!after) return before ? [deleted(before)] : []
  // A node that registers tainted, cordoned or not ready has not changed: NodeRegistered says it
  // all.
  if (!before) return [registered(after), ...readyNews(undefined, after)]
  return [...readyNews(before, after), ...taintNews(before, after), ...cordonNews(before, after)]
}

function registered(node: Node): News {
  const ready = readyOf(node)?.status
  const change = {
    ...(ready && { ready }),
    unschedulable: node.spec?.unschedulable === true,
    taints: node.spec?.taints ?? [],
  }
  return { type: 'NodeRegistered', change }
}

function deleted(node: Node): News {
  const ready = readyOf(node)?.status
  const creationTime = node.metadata.creationTimestamp
  const change = { ...(ready && { ready }), ...(creationTime && { creationTime }) }
  return { type: 'NodeDeleted', change }
}

const typeOf = {
  True: 'NodeReady',
  False: 'NodeNotReady',
  Unknown: 'NodeUnreachable',
} as const satisfies Record<ConditionStatus, News['type']>

function readyNews(before: Node | undefined, after: Node): readonly News[] {
  const from = before && readyOf(before)?.status
  const ready = readyOf(after)
  if (!ready || ready.status === from) return []
  // A host that is still coming up is no news; one that was never heard of in time is.
  if (!from && ready.status === 'False') return []
  if (!before && ready.status !== 'True') return []
  const { status: to, reason, message, lastHeartbeatTime, lastTransitionTime } = ready
  const change = {
    ...(from && { from }),
    to,
    ...(lastHeartbeatTime && { lastHeartbeatTime }),
    ...(lastTransitionTime && { lastTransitionTime }),
  }
  return [{ type: typeOf[to], change, ...(reason && { reason }), ...(message && { message }) }]
}

function taintNews(before: Node, after: Node): readonly News[] {
  const old = before.spec?.taints ?? []
  const now = after.spec?.taints ?? []
  const { toRemove } = taintDifference(now, old)
  const added = now.filter((taint) => !old.some((other) => saysTheSame(other, taint)))
  return [
    ...(added.length > 0 ? [{ type: 'NodeTainted' as const, change: { taints: added } }] : []),
    ...(toRemove.length > 0
      ? [{ type: 'NodeUntainted' as const, change: { taints: toRemove } }]
      : []),
  ]
}

/** Another value is another message to tolerations; another time is not. */
const saysTheSame = (one: Taint, other: Taint) =>
  one.key === other.key && one.effect === other.effect && (one.value ?? '') === (other.value ?? '')

function cordonNews(before: Node, after: Node): readonly News[] {
  const was = before.spec?.unschedulable === true
  const unschedulable = after.spec?.unschedulable === true
  if (was === unschedulable) return []
  return unschedulable
    ? [{ type: 'NodeCordoned', change: { unschedulable } }]
    : [{ type: 'NodeUncordoned', change: { unschedulable } }]
}
