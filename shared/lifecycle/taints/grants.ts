/**
 * Which nodes get their first NoExecute taint now? Those that wait, in order, as far as the tokens
 * of the zone's bucket reach.
 */

import type { DecisionDraft, WaitingNode, ZoneTally } from '../decision-draft.ts'
import { taintEvidence } from '../evidence.ts'
import { maintenanceUntilMs } from '../liveness/health.ts'
import { changesNode } from '../liveness/node-plan.ts'
import type { Hold, HoldReason, ZoneRecord } from '../world.ts'
import { refusedUntilMs, zoneHoldReason } from '../zones/holds.ts'
import { nextGrantMs, spend } from '../zones/limiter.ts'
import type { ZoneTransitions } from '../zones/zone-transitions.ts'
import { firstTaint } from './node-taints.ts'
import { taintsOf } from './taints.ts'

/**
 * Tokens that accrued while nodes waited are spent together, as a loop that never sleeps would have
 * spent them one by one. After a longer absence of the monitor no backlog is granted: only this
 * many periods count.
 */
const CATCH_UP_PERIODS = 2

export function grantNoExecuteTaints(
  draft: DecisionDraft,
  { fleet, zones }: ZoneTransitions,
): void {
  for (const tally of draft.zones.values()) {
    if (tally.waiting.length === 0) continue
    tally.waiting.sort(byEligibility)
    const stop =
      zoneHoldReason(draft, tally.key) ?? (isStripping(draft, fleet) ? 'fleetDisrupted' : undefined)
    if (stop) draft.holds.push({ what: 'taint', why: stop, zone: tally.key })
    else grantIn(draft, tally, zones.get(tally.key)!)
  }
}

/** While the fleet's taints are stripped, and in the tick that ends it, no node gets one. */
const isStripping = (draft: DecisionDraft, fleet: ZoneTransitions['fleet']) =>
  fleet === 'enter' || fleet === 'leave' || draft.fleet.disruption === 'entering'

function byEligibility(a: WaitingNode, b: WaitingNode): number {
  if (a.eligibleAtMs !== b.eligibleAtMs) return a.eligibleAtMs - b.eligibleAtMs
  return a.node.key.name < b.node.key.name ? -1 : 1
}

function grantIn(draft: DecisionDraft, tally: ZoneTally, zone: ZoneRecord): void {
  const { nowMs, settings } = draft
  const earliestMs = nowMs - CATCH_UP_PERIODS * settings.nodeMonitorPeriodMs
  let { limiter } = zone
  // The bucket as it will be when the nodes ahead in the queue have had their tokens.
  let queued = limiter
  let ahead = 0
  for (const waiting of tally.waiting) {
    const name = waiting.node.key.name
    const untilMs = maintenanceUntilMs(waiting.node.object)
    if (nowMs < untilMs) {
      hold(draft, tally, { node: name, why: 'maintenance', untilMs })
      continue
    }
    const refusedMs = refusedUntilMs(draft, waiting.node)
    if (nowMs <= refusedMs) {
      hold(draft, tally, { node: name, why: 'refused', untilMs: refusedMs })
      continue
    }
    const wantedMs = Math.max(waiting.eligibleAtMs, earliestMs)
    const grantMs = nextGrantMs(limiter, wantedMs)
    if (grantMs > nowMs || isBusy(draft, waiting)) {
      const servedMs = nextGrantMs(queued, Math.max(wantedMs, nowMs))
      const why = reasonFor(waiting, limiter.stopped, nowMs)
      hold(draft, tally, { node: name, why, untilMs: servedMs, ahead })
      if (Number.isFinite(servedMs)) queued = spend(queued, servedMs)
      ahead++
      continue
    }
    limiter = spend(limiter, grantMs)
    queued = limiter
    taint(draft, tally, waiting, { ...zone, limiter })
  }
}

/** Its object is being changed in this tick already; the taint follows when that is written. */
function isBusy(draft: DecisionDraft, { node, isMarkedNow }: WaitingNode): boolean {
  const plan = draft.plans.get(node.key.name)
  return isMarkedNow || (plan !== undefined && changesNode(plan))
}

function reasonFor(waiting: WaitingNode, isStopped: boolean, nowMs: number): HoldReason {
  if (waiting.eligibleAtMs > nowMs) return 'settling'
  return isStopped ? 'zoneStopped' : 'waitingForToken'
}

function taint(
  draft: DecisionDraft,
  tally: ZoneTally,
  waiting: WaitingNode,
  next: ZoneRecord,
): void {
  const { node, current } = waiting
  const taints = firstTaint(taintsOf(node.object), current, draft.nowMs)
  const believed = tally.stored && { believed: tally.stored.version }
  draft.actions.push({
    do: 'taintNoExecute',
    node,
    next: { ...node.object, spec: { ...node.object.spec, taints } },
    zone: { key: tally.key, next, ...believed },
    emits: [taintEvidence(next, draft.settings)],
  })
}

type HeldNode = Pick<Hold, 'node' | 'why' | 'untilMs' | 'ahead'>

function hold(draft: DecisionDraft, { key: zone }: ZoneTally, held: HeldNode): void {
  const { untilMs = Number.POSITIVE_INFINITY, ...rest } = held
  const until = Number.isFinite(untilMs) && { untilMs }
  draft.holds.push({ what: 'taint', zone, ...rest, ...until })
}
