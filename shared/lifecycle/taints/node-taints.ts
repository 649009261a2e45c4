/**
 * Which taints must a node carry? NoExecute, by its health: kept, swapped, lost or waited for.
 * NoSchedule, by its conditions.
 */
import type { ConditionStatus, Node, Taint } from '../../kube/objects.ts'
import { formatTime, parseTimeMs } from '../../kube/time.ts'
import { conditionOf, createdAtMs, readyOf } from '../liveness/health.ts'
import {
  isLifecycleTaint,
  NOT_READY,
  taintDifference,
  taintsOf,
  UNREACHABLE,
  withoutTaint,
  withTaint,
} from './taints.ts'

type Tainting =
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

// NoSchedule taints are compared as bits, so a healthy node costs no memory.
const PRESSURES = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
] as const
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
const MANAGED: readonly string[] = [
  NOT_READY,
  UNREACHABLE,
  ...PRESSURES.map(([, key]) => key),
  UNSCHEDULABLE,
]
const bitOf = (key: string): number => 1 << MANAGED.indexOf(key)
const NOT_READY_BIT = bitOf(NOT_READY)
const UNREACHABLE_BIT = bitOf(UNREACHABLE)
const FIRST_PRESSURE = 2
const UNSCHEDULABLE_BIT = bitOf(UNSCHEDULABLE)

/**
 * The node's taints with the NoSchedule ones in step with its conditions; the same list when they
 * already are. What is added carries the time, as in Kubernetes. No Ready condition asks for no
 * taint, so the one given at creation goes.
 */
export function reconcileNoSchedule(node: Node, nowMs: number): readonly Taint[] {
  const present = taintsOf(node)
  const wanted = wantedBits(node)
  if (wanted === presentBits(present)) return present

  const { toAdd, toRemove } = taintDifference(wantedTaints(wanted), present.filter(isManaged))
  const kept = toRemove.reduce((taints, taint) => withoutTaint(taints, taint), present)
  const timeAdded = formatTime(nowMs)
  return toAdd.reduce((taints, taint) => withTaint(taints, { ...taint, timeAdded }), kept)
}

function wantedBits(node: Node): number {
  const ready = readyOf(node)?.status
  let bits = ready === 'False' ? NOT_READY_BIT : ready === 'Unknown' ? UNREACHABLE_BIT : 0
  for (let i = 0; i < PRESSURES.length; i++) {
    if (conditionOf(node, PRESSURES[i]![0])?.status === 'True') bits |= 1 << (FIRST_PRESSURE + i)
  }
  return node.spec?.unschedulable ? bits | UNSCHEDULABLE_BIT : bits
}

function presentBits(taints: readonly Taint[]): number {
  let bits = 0
  for (const taint of taints) if (isManaged(taint)) bits |= bitOf(taint.key)
  return bits
}

function isManaged(taint: Taint): boolean {
  return taint.effect === 'NoSchedule' && MANAGED.includes(taint.key)
}

function wantedTaints(bits: number): Taint[] {
  return MANAGED.filter((_, i) => bits & (1 << i)).map((key) => ({ key, effect: 'NoSchedule' }))
}
