/** Pods as the judgement wants them: by node, unbound ones under the empty name. */
import type { KnownPod } from '../../../shared/lifecycle/world.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'

export interface PodsByNode {
  readonly byNode: ReadonlyMap<string, readonly KnownPod[]>
  note(before: StoredObject | undefined, after: StoredObject | undefined): void
  /** Pods that became bound since the last completed tick, or are owed a mark from it. */
  bound(): readonly KnownPod[]
  forgetBound(count: number): void
  owe(pods: readonly KnownPod[]): void
}

export function podsByNode(): PodsByNode {
  const byNode = new Map<string, KnownPod[]>()
  const bound: KnownPod[] = []

  const remove = (pod: StoredObject) => {
    const node = nodeOf(pod)
    const left = (byNode.get(node) ?? []).filter(({ uid }) => uid !== pod.uid)
    if (left.length > 0) byNode.set(node, left)
    else byNode.delete(node)
  }

  return {
    byNode,
    note(before, after) {
      if (before) remove(before)
      if (!after) return
      const node = nodeOf(after)
      const pods = byNode.get(node)
      if (pods) pods.push(after as KnownPod)
      else byNode.set(node, [after as KnownPod])
      const isBound = node !== '' && !(before?.uid === after.uid && nodeOf(before) === node)
      if (isBound) bound.push(after as KnownPod)
    },
    bound: () => bound,
    forgetBound: (count) => void bound.splice(0, count),
    owe: (pods) => void bound.push(...pods),
  }
}

const nodeOf = (pod: StoredObject) => (pod as KnownPod).object.spec?.nodeName ?? ''
