/**
 * Where is an eviction's countdown stored? In two annotations of the pod itself: written on the
 * condition that the pod is as it was judged, gone when the pod is gone, and kubectl shows when the
 * pod will leave.
 */
import type { Pod } from '../../kube/objects.ts'
import { formatMicroTime, parseTimeMs } from '../../kube/time.ts'
import { MAX_CLOCK_SKEW_MS } from '../clock-bounds.ts'

const EVICT_SINCE = 'leasehold.dev/evict-since'
export const EVICT_AT = 'leasehold.dev/evict-at'
export const COUNTDOWN_KEYS = [EVICT_SINCE, EVICT_AT] as const

export interface EvictionCountdown {
  readonly startedAtMs: number
  /** As if no clock had ever paused; pauses are added when it is read. */
  readonly dueAtMs: number
}

export function readCountdown(pod: Pod): EvictionCountdown | undefined {
  const startedAtMs = parseTimeMs(pod.metadata.annotations?.[EVICT_SINCE] ?? '')
  const dueAtMs = parseTimeMs(pod.metadata.annotations?.[EVICT_AT] ?? '')
  if (startedAtMs === undefined || dueAtMs === undefined) return undefined

  // A manifest saved from an earlier pod brings that pod's countdown along; it is not this one's.
  // The two times may be of different clocks, each off by as much as is allowed.
  const createdAtMs = parseTimeMs(pod.metadata.creationTimestamp ?? '') ?? 0
  const isOlder = startedAtMs + 2 * MAX_CLOCK_SKEW_MS < createdAtMs
  return isOlder ? undefined : { startedAtMs, dueAtMs }
}

export function withCountdown(pod: Pod, countdown: EvictionCountdown): Pod {
  const annotations = {
    ...pod.metadata.annotations,
    [EVICT_SINCE]: formatMicroTime(countdown.startedAtMs * 1000),
    [EVICT_AT]: formatMicroTime(countdown.dueAtMs * 1000),
  }
  return { ...pod, metadata: { ...pod.metadata, annotations } }
}

export function withoutCountdown(pod: Pod): Pod {
  const { annotations = {}, ...metadata } = pod.metadata
  const { [EVICT_SINCE]: since, [EVICT_AT]: at, ...kept } = annotations
  if (since === undefined && at === undefined) return pod
  if (Object.keys(kept).length === 0) return { ...pod, metadata }
  return { ...pod, metadata: { ...metadata, annotations: kept } }
}
