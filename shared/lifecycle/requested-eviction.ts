/**
 * What does an eviction that somebody asked for leave on the pod? The condition by which everybody,
 * the bus included, tells it from a deletion.
 */
import type { Condition, Pod } from '../kube/objects.ts'
import { DISRUPTION_TARGET, disruptionOf, withPodCondition } from './pod-condition.ts'

/** In Kubernetes' own words. */
const REQUESTED: Condition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
}

export function withRequestedEviction(pod: Pod, nowMs: number): Pod {
  // It is leaving and says why: a second reason would be told as a second eviction.
  if (pod.metadata.deletionTimestamp && disruptionOf(pod)) return pod
  return withPodCondition(pod, REQUESTED, nowMs)
}
