/** A pod with one condition set, and the one that says it must go against its will. */
import type { Condition, Pod } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'

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

/** Whoever makes a pod leave says why in this condition, and everybody reads it there. */
export const DISRUPTION_TARGET = 'DisruptionTarget'

export function disruptionOf({ status }: Pod): Condition | undefined {
  const found = status?.conditions?.find(({ type }) => type === DISRUPTION_TARGET)
  return found?.status === 'True' ? found : undefined
}
