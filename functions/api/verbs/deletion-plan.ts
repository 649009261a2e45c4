/**
 * What does a delete do to an object: remove it, mark it, or nothing because it is already on its
 * way?
 */
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { formatTime, parseTimeMs } from '../../../shared/kube/time.ts'

export type DeletionPlan =
  /** `marked` is the object as it is in the moment before. */
  | { readonly kind: 'remove'; readonly marked: KubeObject }
  | { readonly kind: 'mark'; readonly object: KubeObject }
  | { readonly kind: 'keep' }

const DEFAULT_GRACE_SECONDS = 30

export function planDeletion(
  object: KubeObject,
  graceSeconds: number,
  nowMs: number,
): DeletionPlan {
  const { finalizers = [], deletionTimestamp } = object.metadata
  if (graceSeconds === 0 && finalizers.length === 0) {
    return { kind: 'remove', marked: marked(object, nowMs, graceSeconds) }
  }
  if (!deletionTimestamp) return { kind: 'mark', object: marked(object, nowMs, graceSeconds) }

  // A second delete may shorten the wait, never lengthen it; the wait counts from the first.
  const before = object.metadata.deletionGracePeriodSeconds ?? 0
  if (graceSeconds >= before) return { kind: 'keep' }
  const sinceMs = (parseTimeMs(deletionTimestamp) ?? nowMs) - before * 1000
  return { kind: 'mark', object: marked(object, sinceMs, graceSeconds) }
}

function marked(object: KubeObject, sinceMs: number, graceSeconds: number): KubeObject {
  const { generation, deletionTimestamp } = object.metadata
  const metadata = {
    ...object.metadata,
    // To be deleted is a new wish, once; the same wish with less patience is not.
    ...(generation && !deletionTimestamp && { generation: generation + 1 }),
    deletionTimestamp: formatTime(sinceMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  }
  return { ...object, metadata }
}

/**
 * Only a pod that runs somewhere needs time to end; its host confirms by deleting it without grace.
 */
export function graceOf(plural: string, object: KubeObject, asked: number | undefined): number {
  if (plural !== 'pods') return 0
  const { spec, status } = object as Pod
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  // A negative grace means "as soon as possible, but let it end".
  return seconds < 0 ? 1 : seconds
}
