/** What happened in a run, as a few numbers: two runs of one seed must have the same. */
import { evictions, isFirstTaint, isMark, nodeActions } from './invariants/observed-actions.ts'
import type { Write } from './observed-store.ts'

export interface Counts {
  writes: number
  marks: number
  taints: number
  evictions: number
}

export interface Log {
  fingerprint: number
  readonly counts: Counts
}

export const newLog = (): Log => ({
  fingerprint: 0,
  counts: { writes: 0, marks: 0, taints: 0, evictions: 0 },
})

export function note(log: Log, write: Write): void {
  const { counts } = log
  counts.writes += 1
  for (const { id, after } of write.changes) {
    const version = after && 'version' in after ? after.version : 0
    log.fingerprint = Math.imul(log.fingerprint ^ version ^ id.length, 0x01000193) >>> 0
  }
  const actions = nodeActions(write)
  counts.marks += actions.filter(isMark).length
  counts.taints += actions.filter(isFirstTaint).length
  counts.evictions += evictions(write).length
}
