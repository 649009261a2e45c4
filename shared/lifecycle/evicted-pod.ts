/** What does an eviction write, and what does it tell? */
import type { Condition, Pod } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import type { EvictionVerdict } from './eviction.ts'
import { withoutDue } from './eviction-record.ts'
import { DISRUPTION_TARGET, disruptionOf, withPodCondition } from './pod-condition.ts'

/** What Kubernetes gives a pod that does not say. */
const DEFAULT_GRACE_SECONDS = 30

/** Tries in one tick, as in Kubernetes; unlike there, the next tick goes on where these failed. */
export const EVICTION_ATTEMPTS = 5

const TAINTED: Condition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
}

/** Already on its way out by our hand: to judge it again would tell the same eviction twice. */
export function isEvicted(pod: Pod): boolean {
  return Boolean(pod.metadata.deletionTimestamp) && disruptionOf(pod)?.reason === TAINTED.reason
}

/**
 * The evicted pod. With a grace of 0 nobody has to confirm: the object is `removed`; otherwise it
 * is `terminating` until its host says so.
 */
export function evict(pod: Pod, nowMs: number): { kind: 'terminating' | 'removed'; pod: Pod } {
  const marked = withPodCondition(withoutDue(pod), TAINTED, nowMs)
  // Somebody deleted it before: their grace holds.
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

export interface PodEvent {
  readonly component: 'taint-eviction-controller'
  readonly type: 'Normal'
  readonly reason: 'TaintManagerEviction'
  readonly message: string
  /** Kubernetes leaves the uid out of these, and so do we. */
  readonly involvedObject: {
    readonly kind: 'Pod'
    readonly namespace: string
    readonly name: string
  }
}

/**
 * What to tell about a verdict, in order. Told once, by whoever's write of the verdict succeeded.
 */
export function eventsOf(
  verdict: EvictionVerdict,
  pod: { readonly namespace: string; readonly name: string },
): readonly PodEvent[] {
  const cancelled = `Cancelling deletion of Pod ${pod.namespace}/${pod.name}`
  const marked = `Marking for deletion Pod ${pod.namespace}/${pod.name}`
  return messagesOf(verdict, cancelled, marked).map((message) => ({
    component: 'taint-eviction-controller',
    type: 'Normal',
    reason: 'TaintManagerEviction',
    message,
    involvedObject: { kind: 'Pod', ...pod },
  }))
}

function messagesOf(verdict: EvictionVerdict, cancelled: string, marked: string): string[] {
  switch (verdict.kind) {
    case 'leave':
      return []
    case 'cancel':
      return [cancelled]
    case 'wait':
      return verdict.countdown === 'replaced' ? [cancelled] : []
    case 'evict':
      return verdict.cancels ? [cancelled, marked] : [marked]
  }
}
