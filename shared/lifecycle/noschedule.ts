/**
 * Which NoSchedule taints do a node's conditions ask for? Compared as bits, so a healthy node costs
 * no memory.
 */
import type { Node, Taint } from '../kube/objects.ts'
import { formatTime } from '../kube/time.ts'
import { conditionOf, readyOf } from './conditions.ts'
import {
  NOT_READY,
  taintDifference,
  taintsOf,
  UNREACHABLE,
  withoutTaint,
  withTaint,
} from './taints.ts'

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
