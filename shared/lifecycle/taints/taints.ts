/** Taints as a set: key and effect are a taint's identity, value and time are not. */
import type { Node, Taint } from '../../kube/objects.ts'

export const NOT_READY = 'node.kubernetes.io/not-ready'
export const UNREACHABLE = 'node.kubernetes.io/unreachable'

const NO_TAINTS: readonly Taint[] = []

/** Always the same empty list for a node without any, so that "nothing changed" is a comparison. */
export const taintsOf = (node: Node): readonly Taint[] => node.spec?.taints ?? NO_TAINTS

function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

interface TaintDifference {
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
export function withoutTaint(taints: readonly Taint[], taint: Taint): readonly Taint[] {
  const kept = taints.filter((other) => !isSameTaint(other, taint))
  return kept.length < taints.length ? kept : taints
}

/** One of the two NoExecute taints the monitor owns. */
export function isLifecycleTaint(taint: Taint): boolean {
  return taint.effect === 'NoExecute' && isLifecycleKey(taint.key)
}

export const isLifecycleKey = (key: string): boolean => key === NOT_READY || key === UNREACHABLE
