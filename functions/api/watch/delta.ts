/** One change of one object, as every watch of the resource hears it. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change } from '../../../shared/store/ports.ts'

export interface Delta extends Change {
  /** The state now, or the last one known of what is gone. Absent where nobody wanted it read. */
  readonly object?: KubeObject
  /** There may have been other states between `before` and this one, which nobody can tell of. */
  readonly isLeap?: true
}

/**
 * Oldest first, because a client that is cut off in the middle resumes from the last version it
 * saw. A name that was taken again comes after the end of its former bearer, even if the clock of
 * its writer says otherwise.
 */
export function inOrder(deltas: readonly Delta[]): readonly Delta[] {
  const ends = new Map<string, number>()
  for (const { deleted, key, version } of deltas) {
    if (deleted) ends.set(keyText(key), Math.max(version, ends.get(keyText(key)) ?? 0))
  }
  const place = (delta: Delta) =>
    delta.deleted ? delta.version : Math.max(delta.version, ends.get(keyText(delta.key)) ?? 0)
  return deltas.toSorted((a, b) => place(a) - place(b) || Number(b.deleted) - Number(a.deleted))
}
