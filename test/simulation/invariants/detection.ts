/**
 * 2. A silent node is Unknown within grace + one tick, whenever a monitor can run and is not blind.
 */
import { graceMs, lastRefusedMs, readyOf, type TrueNode, type Truth } from '../truth.ts'
import { Broken, type Invariant } from './invariant.ts'

export interface Availability {
  /** Milliseconds since an instant in which a monitor could run and see. */
  readonly availableMs: (sinceMs: number) => number
}

/** The way to the store and back a few times, two clocks each off by two seconds, whole seconds. */
const LAG_MS = 9_000

export const silenceIsDetected = ({ availableMs }: Availability): Invariant => ({
  onCheck(truth, nowMs) {
    if (truth.settings.observe) return
    for (const node of truth.nodes.values()) check(truth, node, nowMs, availableMs)
  },
})

function check(
  truth: Truth,
  node: TrueNode,
  nowMs: number,
  availableMs: Availability['availableMs'],
): void {
  const tickMs = truth.settings.nodeMonitorPeriodMs + LAG_MS
  const limitMs = graceMs(truth, node.object) + tickMs
  if (nowMs - node.sign.atMs <= limitMs || readyOf(node.object)?.status === 'Unknown') return
  // A beat that was refused stops its host's clock as an accepted one does.
  const refusedMs = lastRefusedMs(truth, node.name)
  const sinceMs = Math.max(node.sign.atMs, truth.fleet.floorMs, refusedMs)
  const seenMs = availableMs(sinceMs)
  // An operator may have shortened the grace only just now.
  if (seenMs <= limitMs || availableMs(node.graceSinceMs) <= tickMs) return
  throw new Broken('2 silence', `${node.name} is silent for ${seenMs} ms that could be seen`)
}
