/**
 * What did the monitor do to a node or a pod in this write? Read from the objects, not from its
 * words.
 */
import type { Node, Pod } from '../../../shared/kube/objects.ts'
import type { ObjectChange, Write } from '../observed-store.ts'
import { isEvicted, lifecycleTaints, readyOf } from '../truth.ts'

export interface NodeAction {
  readonly before: Node
  readonly after: Node
  readonly name: string
  readonly uid: string
}

export interface PodAction {
  readonly before: Pod
  readonly after: Pod
}

const byMonitor = ({ by }: Write) => by.kind === 'monitor'

/** Replacements of one and the same object by a monitor. */
function* replacements({ changes }: Write, resource: string) {
  for (const change of changes) {
    if (change.what !== 'object' || change.resource !== resource) continue
    const { before, after } = change
    if (before && after && before.uid === after.uid) yield change as Required<ObjectChange>
  }
}

export function nodeActions(write: Write): NodeAction[] {
  if (!byMonitor(write)) return []
  return [...replacements(write, 'nodes')].map(({ before, after }) => ({
    before: before.object as Node,
    after: after.object as Node,
    name: after.key.name,
    uid: after.uid,
  }))
}

export const isMark = ({ before, after }: NodeAction) =>
  readyOf(after)?.status === 'Unknown' && readyOf(before)?.status !== 'Unknown'

/** A first taint; one that replaces the other kind is none. */
export const isFirstTaint = ({ before, after }: NodeAction) =>
  lifecycleTaints(after).length > 0 && lifecycleTaints(before).length === 0

/** Either kind, added where that very kind was not. */
export const isTaint = ({ before, after }: NodeAction) => {
  const had = new Set(lifecycleTaints(before).map(({ key }) => key))
  return lifecycleTaints(after).some(({ key }) => !had.has(key))
}

export function evictions(write: Write): PodAction[] {
  if (!byMonitor(write)) return []
  return [...replacements(write, 'pods')]
    .map(({ before, after }) => ({ before: before.object as Pod, after: after.object as Pod }))
    .filter(({ before, after }) => isEvicted(after) && !isEvicted(before))
}
