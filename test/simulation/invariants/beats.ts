/**
 * 1. A node whose beat was accepted within its grace is never marked Unknown; after a disruption the
 * grace begins anew.
 */
import { type Process, stampSkewMs, TRUSTED_SKEW_MS } from '../process.ts'
import { graceMs, type Truth } from '../truth.ts'
import { Broken, type Invariant } from './invariant.ts'
import { isMark, nodeActions } from './observed-actions.ts'

/** A creation is stamped in whole seconds. */
const SECOND_MS = 1_000

export const heartbeatsCount: Invariant = {
  onWrite(truth, write) {
    for (const deed of nodeActions(write).filter(isMark)) {
      const node = truth.nodes.get(deed.name)
      if (!node) throw new Broken('1 beats', `${deed.name} is marked and is not there`)
      const { sign, createdAtMs } = node
      // By the clocks that judged: ours then, the api's when the beat came.
      const sinceMs = Math.max(sign.atMs + sign.skewMs, floorFor(truth, write.by))
      const silentMs = write.atMs + stampSkewMs(write.by) - sinceMs
      const allowanceMs = sign.atMs === createdAtMs ? SECOND_MS : 0
      const grace = graceMs(truth, deed.before)
      if (silentMs + allowanceMs <= grace) {
        const why = `${deed.name} is marked ${silentMs} ms after its beat, its grace is ${grace}`
        throw new Broken('1 beats', why)
      }
      if (Math.abs(write.by.skewMs) > TRUSTED_SKEW_MS)
        throw new Broken('1 beats', `${deed.name} is marked by a clock ${write.by.skewMs} ms off`)
    }
  },
}

/** A monitor that ends a disruption has judged every node before, in the same tick, as Kubernetes does. */
function floorFor({ fleet }: Truth, by: Process): number {
  const lookedAtMs = Math.floor(by.lookedAtMs + stampSkewMs(by))
  return fleet.floorMs === lookedAtMs ? 0 : fleet.floorMs
}
