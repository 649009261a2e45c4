/**
 * Where is a countdown remembered? In two annotations of the pod itself: one write together with
 * the version it was judged by, gone when the pod is gone, and everybody sees with kubectl when the
 * pod will leave.
 */
import type { Pod } from '../kube/objects.ts'
import { formatMicroTime, parseTimeMs } from '../kube/time.ts'
import type { Due } from './eviction.ts'

export const EVICT_SINCE = 'leasehold.dev/evict-since'
export const EVICT_AT = 'leasehold.dev/evict-at'

/** Two clocks may each be 2 s off before they stop acting (DESIGN.md section 2). */
const CLOCK_ALLOWANCE_MS = 4_000

export function readDue(pod: Pod): Due | undefined {
  const startedAtMs = parseTimeMs(pod.metadata.annotations?.[EVICT_SINCE] ?? '')
  const dueAtMs = parseTimeMs(pod.metadata.annotations?.[EVICT_AT] ?? '')
  if (startedAtMs === undefined || dueAtMs === undefined) return undefined

  // A manifest saved from an earlier pod brings that pod's countdown along; it is not this one's.
  const createdAtMs = parseTimeMs(pod.metadata.creationTimestamp ?? '') ?? 0
  return startedAtMs + CLOCK_ALLOWANCE_MS < createdAtMs ? undefined : { startedAtMs, dueAtMs }
}

export function withDue(pod: Pod, due: Due): Pod {
  const annotations = {
    ...pod.metadata.annotations,
    [EVICT_SINCE]: formatMicroTime(due.startedAtMs * 1000),
    [EVICT_AT]: formatMicroTime(due.dueAtMs * 1000),
  }
  return { ...pod, metadata: { ...pod.metadata, annotations } }
}

export function withoutDue(pod: Pod): Pod {
  const { annotations = {}, ...metadata } = pod.metadata
  const { [EVICT_SINCE]: since, [EVICT_AT]: at, ...kept } = annotations
  if (since === undefined && at === undefined) return pod
  if (Object.keys(kept).length === 0) return { ...pod, metadata }
  return { ...pod, metadata: { ...metadata, annotations: kept } }
}
