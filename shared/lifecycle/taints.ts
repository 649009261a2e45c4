/** Taints as a set: key and effect are a taint's identity, value and time are not. */
import type { Node, Taint } from '../kube/objects.ts'

export const NOT_READY = 'node.kubernetes.io/not-ready'
export const UNREACHABLE = 'node.kubernetes.io/unreachable'
export const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service'

const NO_TAINTS: readonly Taint[] = []

/** Always the same empty list for a node without any, so that "nothing changed" is a comparison. */
export const taintsOf = (node: Node): readonly Taint[] => node.spec?.taints ?? NO_TAINTS

export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

export interface TaintDifference {
  readonly toAdd: readonly Taint[]
  readonly toRemove: readonly Taint[]
}

export function taintDifference(
  wanted: readonly Taint[],
  present: readonly Taint[],
): TaintDifference {
  const lacks = (list: readonly Taint[]) => (taint: Taint) =>
    !list.some((other) => isSameTaint(other, taint))
  return { toAdd: wanted.filter(lacks(present)), toRemove: present.filter(lacks(wanted)) }
}

/**
 * Inserted at the end, or replaced where it stands. The same list comes back when nothing changes.
 */
export function withTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  const at = taints.findIndex((other) => isSameTaint(other, taint))
  const found = taints[at]
  if (!found) return [...taints, taint]
  const equal =
    (found.value ?? '') === (taint.value ?? '') &&
    (found.timeAdded ?? null) === (taint.timeAdded ?? null)
  return equal ? taints : taints.with(at, taint)
}

/** The same list comes back when the taint was not there. */
export function withoutTaint(
  taints: readonly Taint[],
  taint: Pick<Taint, 'key' | 'effect'>,
): readonly Taint[] {
  const isIt = (other: Taint) => other.key === taint.key && other.effect === taint.effect
  return taints.some(isIt) ? taints.filter((other) => !isIt(other)) : taints
}

/** One of the two NoExecute taints the monitor owns. */
export function isLifecycleTaint(taint: Taint): boolean {
  return taint.effect === 'NoExecute' && isLifecycleKey(taint.key)
}

export const isLifecycleKey = (key: string): boolean => key === NOT_READY || key === UNREACHABLE
