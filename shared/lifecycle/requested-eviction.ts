/**
 * What does an eviction that somebody asked for leave on the pod? The condition by which everybody,
 * the bus included, tells it from a deletion.
 */
import type { Condition, Pod } from '../kube/objects.ts'
import { withPodCondition } from './pod-condition.ts'

/** In Kubernetes' own words. */
const DISRUPTION_TARGET: Condition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

export function withRequestedEviction(pod: Pod, nowMs: number): Pod {
  // It is leaving and says why: a second reason would be told as a second eviction.
  if (pod.metadata.deletionTimestamp && isDisrupted(pod)) return pod
  return withPodCondition(pod, DISRUPTION_TARGET, nowMs)
}

const isDisrupted = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status }) => type === DISRUPTION_TARGET.type && status === 'True',
  )
