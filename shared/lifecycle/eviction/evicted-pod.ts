/** What does an eviction write on the pod, and which Events does it emit? */
import type { Pod } from '../../kube/objects.ts'
import { formatTime } from '../../kube/time.ts'
import type { EmittedEvent } from '../world.ts'
import { withoutCountdown } from './countdown.ts'
import { DELETION_BY_TAINT_MANAGER, withPodCondition } from './disruption-target.ts'
import type { EvictionVerdict } from './judge-pod.ts'

/** What Kubernetes gives a pod that does not say. */
const DEFAULT_GRACE_SECONDS = 30

/**
 * With a grace of 0 no host has to confirm: the object is `removed`; otherwise it is `terminating`
 * until its host confirms.
 */
export function evictedPod(pod: Pod, nowMs: number): { kind: 'terminating' | 'removed'; pod: Pod } {
  const marked = withPodCondition(withoutCountdown(pod), DELETION_BY_TAINT_MANAGER, nowMs)
  // A client deleted it before: that grace holds.
  if (pod.metadata.deletionTimestamp) return { kind: 'terminating', pod: marked }

  const graceSeconds = graceOf(pod)
  const metadata = {
    ...marked.metadata,
    ...(marked.metadata.generation && { generation: marked.metadata.generation + 1 }),
    deletionTimestamp: formatTime(nowMs + graceSeconds * 1000),
    deletionGracePeriodSeconds: graceSeconds,
  }
  return {
    kind: graceSeconds === 0 ? 'removed' : 'terminating',
    pod: { ...marked, metadata },
  }
}

/** A finished pod has nothing to wind down; a negative grace means the least there is. */
function graceOf({ spec, status }: Pod): number {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0
  const seconds = spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS
  return seconds < 0 ? 1 : seconds
}

/** In order. */
export function emittedBy(verdict: EvictionVerdict): readonly EmittedEvent[] {
  switch (verdict.kind) {
    case 'leave':
      return []
    case 'cancel':
      return ['CancellingDeletion']
    case 'wait':
      return verdict.countdown === 'replaced' ? ['CancellingDeletion'] : []
    case 'evict':
      return verdict.cancels ? ['CancellingDeletion', 'MarkingForDeletion'] : ['MarkingForDeletion']
  }
}
