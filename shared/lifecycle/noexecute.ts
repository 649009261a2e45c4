/** The two NoExecute taints the monitor owns: who keeps, swaps, loses or waits for one. */
import type { ConditionStatus, Node, Taint } from '../kube/objects.ts'
import { formatTime, parseTimeMs } from '../kube/time.ts'
import { createdAtMs } from './health.ts'
import { isLifecycleTaint, NOT_READY, taintsOf, UNREACHABLE, withTaint } from './taints.ts'

export type Tainting =
  /** Nothing to do. */
  | 'kept'
  /** Alive: both taints go. */
  | 'reachable'
  /**
   * The other taint is there: replaced at once, without the limiter, because the node is out
   * already.
   */
  | 'swap'
  /** Needs its first taint: through the zone's limiter. */
  | 'wait'

export function judgeTaints(
  current: ConditionStatus | undefined,
  taints: readonly Taint[],
): Tainting {
  const hasNotReady = hasNoExecute(taints, NOT_READY)
  const hasUnreachable = hasNoExecute(taints, UNREACHABLE)
  if (current === undefined) return 'kept'
  if (current === 'True') return hasNotReady || hasUnreachable ? 'reachable' : 'kept'
  const [matching, opposite] =
    current === 'False' ? [hasNotReady, hasUnreachable] : [hasUnreachable, hasNotReady]
  if (opposite) return 'swap'
  return matching ? 'kept' : 'wait'
}

function hasNoExecute(taints: readonly Taint[], key: string): boolean {
  for (const taint of taints) if (taint.key === key && taint.effect === 'NoExecute') return true
  return false
}

/**
 * In one write, and with the time of the one it replaces, so that no pod's countdown starts again.
 */
export function swapTaint(
  taints: readonly Taint[],
  current: 'False' | 'Unknown',
  nowMs: number,
): readonly Taint[] {
  const earlier = taints.find((taint) => isLifecycleTaint(taint) && taint.timeAdded)
  const timeAdded = earlier?.timeAdded ?? formatTime(nowMs)
  return withTaint(withoutLifecycleTaints(taints), lifecycleTaint(current, timeAdded))
}

export function firstTaint(
  taints: readonly Taint[],
  current: 'False' | 'Unknown',
  nowMs: number,
): readonly Taint[] {
  return withTaint(taints, lifecycleTaint(current, formatTime(nowMs)))
}

function lifecycleTaint(current: 'False' | 'Unknown', timeAdded: string): Taint {
  return { key: current === 'False' ? NOT_READY : UNREACHABLE, effect: 'NoExecute', timeAdded }
}

export function hasLifecycleTaint(taints: readonly Taint[]): boolean {
  for (const taint of taints) if (isLifecycleTaint(taint)) return true
  return false
}

export function withoutLifecycleTaints(taints: readonly Taint[]): readonly Taint[] {
  return hasLifecycleTaint(taints) ? taints.filter((taint) => !isLifecycleTaint(taint)) : taints
}

/**
 * On a node never seen before, a lifecycle taint without a time, or older than the node, came with
 * its manifest. Ours always carry a time after the creation, so a lost memory can never strip them.
 */
export function withoutForeignTaints(node: Node): readonly Taint[] {
  const taints = taintsOf(node)
  const isForeign = (taint: Taint) => {
    if (!isLifecycleTaint(taint)) return false
    const addedMs = parseTimeMs(taint.timeAdded ?? '')
    return addedMs === undefined || addedMs < createdAtMs(node)
  }
  return taints.some(isForeign) ? taints.filter((taint) => !isForeign(taint)) : taints
}
