/**
 * The DisruptionTarget condition: it says why a pod has to leave, and tells an eviction from a
 * deletion.
 */
import type { Condition, Pod } from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'

export const DISRUPTION_TARGET = 'DisruptionTarget'

export const DELETION_BY_TAINT_MANAGER: Condition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
}

const EVICTION_BY_EVICTION_API: Condition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

export function disruptionOf({ status }: Pod): Condition | undefined {
  const found = status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET)
  return found?.status === 'True' ? found : undefined
}

/** Evicted by the monitor already: to judge the pod again would tell the same eviction twice. */
export function isEvicted(pod: Pod): boolean {
  const { reason } = DELETION_BY_TAINT_MANAGER
  return Boolean(pod.metadata.deletionTimestamp) && disruptionOf(pod)?.reason === reason
}

/** The pod after a client asked the api to evict it. */
export function withRequestedEviction(pod: Pod, nowMs: number): Pod {
  // It is leaving and says why: a second reason would be told as a second eviction.
  if (pod.metadata.deletionTimestamp && disruptionOf(pod)) return pod
  return withPodCondition(pod, EVICTION_BY_EVICTION_API, nowMs)
}

/** The transition time moves only with the status, as every reader of conditions expects. */
export function withPodCondition(pod: Pod, condition: Condition, nowMs: number): Pod {
  const conditions = pod.status?.conditions ?? []
  const before = conditions.find(({ type }) => type === condition.type)
  const same = before?.status === condition.status
  const lastTransitionTime = same ? before.lastTransitionTime : formatTime(nowMs)
  const next = { ...condition, lastTransitionTime }

  const kept = before
    ? conditions.map((one) => (one === before ? next : one))
    : [...conditions, next]
  return { ...pod, status: { ...pod.status, conditions: kept } }
}
