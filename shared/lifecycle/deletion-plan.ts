/** What does a delete do to an object: remove it, mark it, or nothing as it is marked? */
import type { KubeObject, Namespace, Pod } from '../kube/objects.ts'
import { formatTime, parseTimeMs } from '../kube/time.ts'

type DeletionPlan =
  /** `marked` is the object as it is just before its removal. */
  | { readonly kind: 'remove'; readonly marked: KubeObject }
  | { readonly kind: 'mark'; readonly object: KubeObject }
  | { readonly kind: 'keep' }

interface Deletion {
  readonly plural: string
  readonly object: KubeObject
  /** What the client asks for, if anything. */
  readonly graceSeconds?: number
  readonly nowMs: number
}

const DEFAULT_GRACE_SECONDS = 30

export function planDeletion({ plural, object, graceSeconds, nowMs }: Deletion): DeletionPlan {
  if (plural === 'namespaces' && !object.metadata.deletionTimestamp) {
    return { kind: 'mark', object: terminating(object, nowMs) }
  }
  const grace = graceOf(plural, object, graceSeconds)
  const { deletionTimestamp } = object.metadata
  if (grace === 0 && finalizersOf(plural, object).length === 0) {
    return { kind: 'remove', marked: marked(object, nowMs, grace) }
  }
  if (!deletionTimestamp) return { kind: 'mark', object: marked(object, nowMs, grace) }

  // A second delete may shorten the wait, never lengthen it; the wait counts from the first.
  const before = object.metadata.deletionGracePeriodSeconds ?? 0
  if (grace >= before) return { kind: 'keep' }
  const sinceMs = (parseTimeMs(deletionTimestamp) ?? nowMs) - before * 1000
  return { kind: 'mark', object: marked(object, sinceMs, grace) }
}

/** Marked as deleted, with neither a grace period nor a finalizer left. */
export function isDeletable(plural: string, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = object.metadata
  const waits = deletionGracePeriodSeconds > 0 || finalizersOf(plural, object).length > 0
  return !!deletionTimestamp && !waits
}

/** A namespace has a second list of them: whether it was emptied. */
function finalizersOf(plural: string, object: KubeObject): readonly string[] {
  const own = plural === 'namespaces' ? (object as Namespace).spec?.finalizers : undefined
  return [...(object.metadata.finalizers ?? []), ...(own ?? [])]
}

/** The first delete of a namespace only says so: the monitor empties it. */
function terminating(namespace: Namespace, nowMs: number): Namespace {
  return {
    ...namespace,
    metadata: { ...namespace.metadata, deletionTimestamp: formatTime(nowMs) },
    status: { ...namespace.status, phase: 'Terminating' },
  }
}

function marked(object: KubeObject, sinceMs: number, graceSeconds: number): KubeObject {
  const { generation, deletionTimestamp } = object.metadata
  const metadata = {
    ...object.metadata,
    // The first delete raises the generation; a second one that shortens the grace does not.
    ...(generation && !deletionTimestamp && { generation: generation + 1 }),
    deletionTimestamp: formatTime(sinceMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  }
  return { ...object, metadata }
}

/** Only a pod on a host needs time to end; its host confirms by deleting it without grace. */
function graceOf(plural: string, object: KubeObject, asked: number | undefined): number {
  if (plural !== 'pods') return 0
  const { spec, status } = object as Pod
  if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0
  const seconds = asked ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  // A negative grace means "as soon as possible, but let it end".
  return seconds < 0 ? 1 : seconds
}
