/**
 * Who gets a first NoExecute taint now: those who wait, in order, as far as the zone's bucket
 * reaches.
 */
import { maintenanceUntilMs } from './health.ts'
import { stopOf } from './holds.ts'
import { nextGrantMs, spend } from './limiter.ts'
import { changesNode } from './node-plan.ts'
import { firstTaint } from './noexecute.ts'
import { taintsOf } from './taints.ts'
import type { Tick, Waiting, ZoneTally } from './tick.ts'
import type { HoldReason, ZoneRecord } from './world.ts'
import type { Turned } from './zone-turn.ts'

/**
 * Tokens that accrued while somebody waited are spent together, as a loop that never sleeps would
 * have spent them one by one. After a longer absence no backlog is replayed: only this many periods
 * count.
 */
const CATCH_UP_PERIODS = 2

export function grantTaints(tick: Tick, { turn, zones }: Turned): void {
  for (const tally of tick.zones.values()) {
    if (tally.waiting.length === 0) continue
    tally.waiting.sort(byTurn)
    const stop = stopOf(tick, tally.key) ?? (isTurning(tick, turn) ? 'fleetDisrupted' : undefined)
    if (stop) tick.holds.push({ what: 'taint', why: stop, zone: tally.key })
    else grantIn(tick, tally, zones.get(tally.key)!)
  }
}

/** While taints are stripped, and in the very tick that ends it, nobody gets one, wherever. */
const isTurning = (tick: Tick, turn: Turned['turn']) =>
  turn === 'enter' || turn === 'leave' || tick.fleet.disruption === 'entering'

function byTurn(a: Waiting, b: Waiting): number {
  if (a.eligibleAtMs !== b.eligibleAtMs) return a.eligibleAtMs - b.eligibleAtMs
  return a.node.key.name < b.node.key.name ? -1 : 1
}

function grantIn(tick: Tick, tally: ZoneTally, zone: ZoneRecord): void {
  const { nowMs, settings } = tick
  const earliestMs = nowMs - CATCH_UP_PERIODS * settings.nodeMonitorPeriodMs
  let { limiter } = zone
  for (const waiting of tally.waiting) {
    const name = waiting.node.key.name
    const untilMs = maintenanceUntilMs(waiting.node.object)
    if (nowMs < untilMs) {
      hold(tick, tally, name, 'maintenance', untilMs)
      continue
    }
    const grantMs = nextGrantMs(limiter, Math.max(waiting.eligibleAtMs, earliestMs))
    if (grantMs > nowMs || isBusy(tick, waiting)) {
      hold(tick, tally, name, reasonFor(waiting, limiter.stopped, nowMs), grantMs)
      continue
    }
    limiter = spend(limiter, grantMs)
    taint(tick, tally, waiting, { ...zone, limiter })
  }
}

/** Its object is being changed in this tick already; the taint follows when that is written. */
function isBusy(tick: Tick, { node, isMarkedNow }: Waiting): boolean {
  const plan = tick.plans.get(node.key.name)
  return isMarkedNow || (plan !== undefined && changesNode(plan))
}

function reasonFor(waiting: Waiting, isStopped: boolean, nowMs: number): HoldReason {
  if (waiting.eligibleAtMs > nowMs) return 'settling'
  return isStopped ? 'zoneStopped' : 'waitingForToken'
}

function taint(tick: Tick, tally: ZoneTally, waiting: Waiting, next: ZoneRecord): void {
  const { node, current } = waiting
  const taints = firstTaint(taintsOf(node.object), current, tick.nowMs)
  const believed = tally.stored && { believed: tally.stored.version }
  tick.actions.push({
    do: 'taintNoExecute',
    node,
    next: { ...node.object, spec: { ...node.object.spec, taints } },
    zone: { key: tally.key, next, ...believed },
  })
}

function hold(tick: Tick, tally: ZoneTally, node: string, why: HoldReason, untilMs?: number): void {
  const until = untilMs !== undefined && Number.isFinite(untilMs) && { untilMs }
  tick.holds.push({ what: 'taint', why, zone: tally.key, node, ...until })
}
