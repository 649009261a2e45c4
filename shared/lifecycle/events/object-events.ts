/** What is announced when a node, a pod, a zone or the fleet changes from one state to another? */

import type { Fleet } from '../../kube/fleet/resource.ts'
import type { ConditionStatus, Node, Pod, Taint } from '../../kube/objects.ts'
import { formatMicroTime } from '../../kube/time.ts'
import type { Zone } from '../../kube/zone/resource.ts'
import { disruptionOf } from '../eviction/disruption-target.ts'
import { readyOf } from '../liveness/health.ts'
import { type Interval, openInterval } from '../liveness/visibility.ts'
import { taintDifference } from '../taints/taints.ts'
import type { FleetRecord } from '../world.ts'
import type { EventPayload } from './domain-event.ts'

export function nodeEvents(
  before: Node | undefined,
  after: Node | undefined,
): readonly EventPayload[] {
  if (!after) return before ? [deleted(before)] : []
  // A node that registers tainted, cordoned or not ready has not changed: NodeRegistered says it
  // all.
  if (!before) return [registered(after), ...readyEvents(undefined, after)]
  return [
    ...readyEvents(before, after),
    ...taintEvents(before, after),
    ...cordonEvents(before, after),
  ]
}

function registered(node: Node): EventPayload {
  const ready = readyOf(node)?.status
  const change = {
    ...(ready && { ready }),
    unschedulable: node.spec?.unschedulable === true,
    taints: node.spec?.taints ?? [],
  }
  return { type: 'NodeRegistered', change }
}

function deleted(node: Node): EventPayload {
  const ready = readyOf(node)?.status
  const creationTime = node.metadata.creationTimestamp
  const change = { ...(ready && { ready }), ...(creationTime && { creationTime }) }
  return { type: 'NodeDeleted', change }
}

const typeOf = {
  True: 'NodeReady',
  False: 'NodeNotReady',
  Unknown: 'NodeUnreachable',
} as const satisfies Record<ConditionStatus, EventPayload['type']>

function readyEvents(before: Node | undefined, after: Node): readonly EventPayload[] {
  const from = before && readyOf(before)?.status
  const ready = readyOf(after)
  if (!ready || ready.status === from) return []
  // A host that is still starting is not announced; one that never reported in time is.
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

function taintEvents(before: Node, after: Node): readonly EventPayload[] {
  const old = before.spec?.taints ?? []
  const now = after.spec?.taints ?? []
  const { toRemove } = taintDifference(now, old)
  const added = now.filter((taint) => !old.some((other) => isSameToTolerations(other, taint)))
  return [
    ...(added.length > 0 ? [{ type: 'NodeTainted' as const, change: { taints: added } }] : []),
    ...(toRemove.length > 0
      ? [{ type: 'NodeUntainted' as const, change: { taints: toRemove } }]
      : []),
  ]
}

/** Tolerations match the value, not the time. */
const isSameToTolerations = (one: Taint, other: Taint) =>
  one.key === other.key && one.effect === other.effect && (one.value ?? '') === (other.value ?? '')

function cordonEvents(before: Node, after: Node): readonly EventPayload[] {
  const was = before.spec?.unschedulable === true
  const unschedulable = after.spec?.unschedulable === true
  if (was === unschedulable) return []
  return unschedulable
    ? [{ type: 'NodeCordoned', change: { unschedulable } }]
    : [{ type: 'NodeUncordoned', change: { unschedulable } }]
}

/**
 * Only evictions: an eviction sets the DisruptionTarget condition, in the write before the object
 * may vanish; a plain deletion does not.
 */
export function podEvents(
  before: Pod | undefined,
  after: Pod | undefined,
): readonly EventPayload[] {
  const reason = after && evictionReason(after)
  if (!after || reason === undefined || reason === (before && evictionReason(before))) return []
  const { deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds } = after.metadata
  const change = {
    node: after.spec?.nodeName ?? '',
    ...(deletionTimestamp && { deletionTime: deletionTimestamp }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
  }
  const message = disruptionOf(after)?.message
  return [{ type: 'PodEvicted', change, reason, ...(message && { message }) }]
}

/** Empty where no reason is given; undefined for a pod that is not evicted. */
function evictionReason(pod: Pod): string | undefined {
  const target = disruptionOf(pod)
  return target && (target.reason ?? '')
}

/** Its state; a zone that was not stored before was Initial. */
export function zoneEvents(
  before: Zone | undefined,
  after: Zone | undefined,
): readonly EventPayload[] {
  // An empty zone that is forgotten was Initial before.
  if (!after) return []
  const from = before?.status?.state ?? 'Initial'
  const { state: to = 'Initial', nodes, notReady } = after.status ?? {}
  if (from === to) return []
  const change = {
    from,
    to,
    ...(nodes !== undefined && { nodes }),
    ...(notReady !== undefined && { notReady }),
  }
  return [{ type: 'ZoneStateChanged', change }]
}

/** The whole record; the rest of the status is a summary of it for people. */
const recordOf = (fleet: Fleet | undefined): Partial<FleetRecord> => fleet?.status?.record ?? {}

export function fleetEvents(
  before: Fleet | undefined,
  after: Fleet | undefined,
): readonly EventPayload[] {
  if (!after) return []
  const [old, now] = [recordOf(before), recordOf(after)]
  return [...disruptionEvents(old, now), ...blindEvents(old.blind ?? [], now.blind ?? [])]
}

/** Entering and entered are one: the second only says that the first is finished. */
function disruptionEvents(
  old: Partial<FleetRecord>,
  now: Partial<FleetRecord>,
): readonly EventPayload[] {
  const [was, is] = [isDisrupted(old), isDisrupted(now)]
  if (was === is) return []
  if (is) return [{ type: 'FleetDisruptionEntered', change: since(now) }]
  const change = {
    ...since(old),
    ...(now.floorMs !== undefined && { clocksFromTime: timeOf(now.floorMs) }),
  }
  return [{ type: 'FleetDisruptionLeft', change }]
}

const isDisrupted = ({ disruption = 'none' }: Partial<FleetRecord>) => disruption !== 'none'

const since = ({ disruptionSinceMs }: Partial<FleetRecord>) =>
  disruptionSinceMs === undefined ? {} : { sinceTime: timeOf(disruptionSinceMs) }

function blindEvents(old: readonly Interval[], now: readonly Interval[]): readonly EventPayload[] {
  const [was, is] = [openInterval(old), openInterval(now)]
  if (!was && is) {
    return [{ type: 'BlindEntered', change: { sinceTime: timeOf(is.fromMs) }, message: is.why }]
  }
  if (!was || is) return []
  const untilMs = now.at(-1)?.untilMs
  const change = {
    sinceTime: timeOf(was.fromMs),
    ...(untilMs !== undefined && { untilTime: timeOf(untilMs) }),
  }
  return [{ type: 'BlindLeft', change, message: was.why }]
}

const timeOf = (ms: number) => formatMicroTime(ms * 1000)
