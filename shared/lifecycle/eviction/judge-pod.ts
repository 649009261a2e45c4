/**
 * When is this pod due to leave its tainted node?
 *
 * Kubernetes keeps countdowns in memory and starts them again with every restart. Here a countdown
 * begins at the time stored in the taint, is stored on the pod (see countdown.ts), and never moves
 * once it runs.
 */
import type { Pod, Taint, Toleration } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import { isLifecycleKey } from '../taints/taints.ts'
import {
  type MatchRules,
  minTolerationSeconds,
  tolerationSeconds,
  usedTolerations,
} from '../taints/tolerations.ts'
import type { EvictionCountdown } from './countdown.ts'
import { isEvicted } from './disruption-target.ts'

export interface PodCase {
  /** Undefined when the pod is gone; what is left of its countdown is cancelled. */
  readonly pod: Pod | undefined
  /** The taints of its node, of any effect; undefined when the node is gone. */
  readonly taints: readonly Taint[] | undefined
  /** As stored on the pod, if there is one. */
  readonly due: EvictionCountdown | undefined
  readonly nowMs: number
  /** How long within an interval the observer was blind or stopped: no countdown ran then. */
  readonly pausedMs: (fromMs: number, toMs: number) => number
  /** When full disruption was left: countdowns of lifecycle taints from before are void. */
  readonly floorMs?: number
  /** Default: Lt and Gt do not count. */
  readonly rules?: MatchRules
}

export type EvictionVerdict =
  | { readonly kind: 'leave' }
  /** Forget the stored countdown and say so. */
  | { readonly kind: 'cancel' }
  | {
      readonly kind: 'wait'
      /** With every pause so far; what to wake up for. */
      readonly dueAtMs: number
      readonly due: EvictionCountdown
      /** All but `running` have to be written; `replaced` cancels an earlier one. */
      readonly countdown: 'running' | 'started' | 'replaced'
    }
  | {
      readonly kind: 'evict'
      readonly reason: 'notTolerated' | 'timeUp'
      /** A countdown was still running; its cancellation is told before the eviction. */
      readonly cancels: boolean
    }

type Counting = Extract<EvictionVerdict, { kind: 'wait' | 'evict' }>

const LEAVE: EvictionVerdict = { kind: 'leave' }

export function judgePod(one: PodCase): EvictionVerdict {
  const { pod, due } = one
  if (pod === undefined) return stop(due)
  if (isEvicted(pod) || !pod.spec?.nodeName) return LEAVE
  // A deleted node takes its taints along but not the countdowns they began.
  if (one.taints === undefined) return due ? resume(due, one) : LEAVE

  const taints = one.taints.filter((taint) => taint.effect === 'NoExecute')
  if (taints.length === 0) return stop(due)

  const used = usedTolerations(taints, pod.spec.tolerations ?? [], one.rules)
  if (!used) return { kind: 'evict', reason: 'notTolerated', cancels: due !== undefined }

  const limited = limitedTaints(taints, used, one.nowMs)
  if (limited.length === 0) return stop(due)
  return countDown(limited, pod, one)
}

function stop(due: EvictionCountdown | undefined): EvictionVerdict {
  return due ? { kind: 'cancel' } : LEAVE
}

interface LimitedTaint {
  readonly key: string
  readonly sinceMs: number
  readonly toleration: Toleration
}

/** The taints that are not tolerated forever, with the time from which each may be counted. */
function limitedTaints(
  taints: readonly Taint[],
  used: readonly Toleration[],
  nowMs: number,
): readonly LimitedTaint[] {
  return taints
    .map((taint, i) => ({
      key: taint.key,
      sinceMs: stampMs(taint.timeAdded, nowMs) ?? nowMs,
      toleration: used[i]!,
    }))
    .filter(({ toleration }) => Number.isFinite(tolerationSeconds(toleration)))
}

function countDown(limited: readonly LimitedTaint[], pod: Pod, one: PodCase): EvictionVerdict {
  const stored = isVoid(limited, one) ? undefined : one.due
  if (stored && stored.startedAtMs !== one.nowMs) return resume(stored, one)

  const due = begin(limited, pod, one)
  if (stored?.dueAtMs === due.dueAtMs) return resume(stored, one)

  const verdict = resume(due, one)
  if (verdict.kind !== 'wait') return { ...verdict, cancels: one.due !== undefined }
  return { ...verdict, countdown: one.due ? 'replaced' : 'started' }
}

/** Leaving full disruption starts the clocks of lifecycle taints afresh, not of a user's own. */
function isVoid(limited: readonly LimitedTaint[], { due, floorMs = 0 }: PodCase): boolean {
  if (due === undefined || due.startedAtMs >= floorMs) return false
  return limited.every(({ key }) => isLifecycleKey(key))
}

/**
 * The countdown a monitor that never slept would have begun: at the first limited taint, or at the
 * binding if that came later, for the shortest toleration of the taints there were at that moment.
 * Tolerations are taken as they are now: one that has just been limited counts from the taint too.
 */
function begin(
  limited: readonly LimitedTaint[],
  pod: Pod,
  { nowMs, floorMs = 0 }: PodCase,
): EvictionCountdown {
  const counted = limited.map((taint) => ({
    ...taint,
    sinceMs: isLifecycleKey(taint.key)
      ? Math.max(taint.sinceMs, Math.min(floorMs, nowMs))
      : taint.sinceMs,
  }))
  const taintedAtMs = Math.min(...counted.map(({ sinceMs }) => sinceMs))
  const startedAtMs = Math.max(taintedAtMs, boundAtMs(pod, nowMs))
  const there = counted.filter(({ sinceMs }) => sinceMs <= startedAtMs)
  const seconds = minTolerationSeconds(there.map(({ toleration }) => toleration))
  return { startedAtMs, dueAtMs: startedAtMs + seconds * 1000 }
}

/** Binding sets PodScheduled; a pod created on its node was bound by its creation. */
function boundAtMs(pod: Pod, nowMs: number): number {
  const scheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'True',
  )
  const stamps = [scheduled?.lastTransitionTime, pod.metadata.creationTimestamp]
  return Math.max(...stamps.map((stamp) => stampMs(stamp, nowMs) ?? Number.NEGATIVE_INFINITY))
}

/**
 * Kubernetes cuts times to whole seconds, so such a time means any moment of its second. The last
 * one is taken, so that no pod loses part of the time its tolerations promise; but never a moment
 * after now.
 */
function stampMs(stamp: string | null | undefined, nowMs: number): number | undefined {
  if (!stamp) return undefined
  const ms = parseTimeMs(stamp)
  if (ms === undefined) return undefined
  return Math.min(nowMs, ms % 1000 === 0 ? ms + 999 : ms)
}

function resume(due: EvictionCountdown, { nowMs, pausedMs }: PodCase): Counting {
  const dueAtMs = fireAtMs(due, nowMs, pausedMs)
  if (dueAtMs <= nowMs) return { kind: 'evict', reason: 'timeUp', cancels: false }
  return { kind: 'wait', dueAtMs, due, countdown: 'running' }
}

/** When the countdown ends, given the pauses up to now. */
function fireAtMs(due: EvictionCountdown, nowMs: number, pausedMs: PodCase['pausedMs']): number {
  return due.dueAtMs + (nowMs > due.startedAtMs ? pausedMs(due.startedAtMs, nowMs) : 0)
}
