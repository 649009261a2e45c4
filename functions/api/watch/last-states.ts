/**
 * The last state of what was seen lately, to be shown once more when it is deleted: a tombstone
 * keeps only labels.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'

// About ten megabytes of nodes. What fell out is announced with its names, uid and labels alone.
const MAX_STATES = 1_000

export interface LastStates {
  keep(uid: string, object: KubeObject): void
  get(uid: string): KubeObject | undefined
}

export function lastStates(limit = MAX_STATES): LastStates {
  const states = new Map<string, KubeObject>()
  return {
    keep(uid, object) {
      states.delete(uid)
      states.set(uid, object)
      const [oldest] = states.keys()
      if (states.size > limit && oldest !== undefined) states.delete(oldest)
    },
    get: (uid) => states.get(uid),
  }
}
