/** The pods of a silent host are not ready, whatever they last said of themselves. */
import type { Pod } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import { podNodeNotReady } from './events.ts'
import type { KnownPod, PodChange } from './world.ts'

/**
 * Those that still call themselves ready. What has no PodReady condition, or is not ready, is left
 * alone.
 */
export function podsToMark(pods: readonly KnownPod[], nowMs: number): readonly PodChange[] {
  const changes: PodChange[] = []
  for (const pod of pods) {
    const next = markedNotReady(pod.object, nowMs)
    if (next) changes.push({ pod, next, events: [podNodeNotReady(pod.object)] })
  }
  return changes
}

/** Reason and message stay: they are the host's, and it may come back for them. */
function markedNotReady(pod: Pod, nowMs: number): Pod | undefined {
  const conditions = pod.status?.conditions ?? []
  const at = conditions.findIndex((condition) => condition.type === 'Ready')
  const ready = conditions[at]
  if (!ready || ready.status === 'False') return undefined

  const { generation } = pod.metadata
  const observed = generation === undefined ? {} : { observedGeneration: generation }
  const marked = {
    ...ready,
    status: 'False',
    lastTransitionTime: formatTime(nowMs),
    ...observed,
  } as const
  return { ...pod, status: { ...pod.status, ...observed, conditions: conditions.with(at, marked) } }
}
