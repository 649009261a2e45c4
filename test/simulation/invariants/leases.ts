/**
 * 6. A lease has at most one holder at a time, and its transitions number never repeats or falls.
 */
import type { LeaseState } from '../../../shared/store/lease-state.ts'
import type { LeaseChange, Write } from '../observed-store.ts'
import { stampSkewMs } from '../process.ts'
import { isLeaseBeat, type Moment } from '../truth.ts'
import { Broken, type Invariant } from './invariant.ts'

const ALLOWANCE_MS = 1_000

export function leasesFence(): Invariant {
  const beats = new Map<string, Moment>()
  /** The highest number ever given to a holder; kept when a lock is deleted. */
  const marks = new Map<string, number>()

  const check = (change: LeaseChange, write: Write) => {
    const { id, before, after } = change
    const isHost = id.startsWith('kube-node-lease/')
    if (!after) {
      beats.delete(id)
      if (isHost) marks.delete(id)
      return
    }
    const from = before?.spec.holderIdentity ?? ''
    const to = after.spec.holderIdentity ?? ''
    if (to && to !== from) {
      if (from) checkExpired(id, before!, beats.get(id), write)
      const number = after.spec.leaseTransitions ?? 0
      const mark = marks.get(id)
      if (mark !== undefined && number <= mark)
        throw new Broken('6 leases', `${id} goes to ${to} as number ${number} after ${mark}`)
      marks.set(id, number)
    } else if ((after.spec.leaseTransitions ?? 0) < (before?.spec.leaseTransitions ?? 0)) {
      throw new Broken('6 leases', `the number of ${id} falls`)
    }
    if (isLeaseBeat(before, after))
      beats.set(id, { atMs: write.atMs, skewMs: stampSkewMs(write.by) })
  }

  return {
    onWrite(_truth, write) {
      for (const change of write.changes) if (change.what === 'lease') check(change, write)
    },
  }
}

function checkExpired(
  id: string,
  before: LeaseState,
  beat: Moment | undefined,
  write: Write,
): void {
  const { leaseDurationSeconds } = before.spec
  if (!beat || leaseDurationSeconds === undefined)
    throw new Broken('6 leases', `${id} is taken though it never ends`)
  const endMs = beat.atMs + beat.skewMs + leaseDurationSeconds * 1_000 + ALLOWANCE_MS
  if (write.atMs + stampSkewMs(write.by) > endMs) return
  throw new Broken('6 leases', `${id} is taken from ${before.spec.holderIdentity} before its time`)
}
