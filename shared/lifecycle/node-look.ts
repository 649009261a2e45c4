/**
 * One node, looked at once: is it alive, what does it become, does it count, does it wait for a
 * taint?
 */
import type { ConditionStatus, NodeCondition } from '../kube/objects.ts'
import { parseTimeMs } from '../kube/time.ts'
import { type Interval, sightedDeadlineMs } from './blindness.ts'
import { isDeclared, readyOf, silencedConditions } from './conditions.ts'
import { createdAtMs, deadlineMs, hasDeparted, isOwnBeat, maintenanceUntilMs } from './health.ts'
import { nodeStopOf, pausesOf } from './holds.ts'
import { planNode } from './node-plan.ts'
import { judgeTaints } from './noexecute.ts'
import type { Settings } from './settings.ts'
import { taintsOf } from './taints.ts'
import { isBlind, type Tick, tallyOf, type Waiting } from './tick.ts'
import type { Beat, KnownNode } from './world.ts'
import { isExcludedFromDisruption, zoneKey } from './zone-key.ts'

export function lookAtNode(tick: Tick, node: KnownNode): void {
  const beat = tick.world.beats.get(node.key.name)
  const ready = readyOf(node.object)
  const endMs = deadlineMs(node, beat, tick.watch, tick.settings)
  const isSilent = tick.nowMs > endMs
  const marks = isSilent && ready?.status !== 'Unknown'
  if (!isSilent) noteDeadline(tick, node, endMs)

  const zone = zoneKey(node.object)
  if (marks && isBlind(tick)) {
    tick.holds.push({ what: 'mark', why: 'blind', zone, node: node.key.name })
  }
  const marksNow = marks && !isBlind(tick)
  // From here on a host that is being declared counts as Unknown: zones follow what is true, not
  // what is written.
  const current = marksNow ? 'Unknown' : ready?.status
  if (losesPods(ready, marksNow, isSilent && !isBlind(tick))) {
    tick.silent.push({ node, isMarkedNow: marksNow })
  }
  plan(tick, node, { current, zone, silentSinceMs: marksNow ? endMs : undefined })
  count(tick, node, current, beat)
  wait(tick, { node, beat, current, isMarkedNow: marksNow, zone })
}

/**
 * With the mark if the host was well until then, and from then on as long as it stays silent, so
 * that nothing is owed to anybody's memory. A host that never reported has no pods that ever ran.
 */
function losesPods(
  ready: NodeCondition | undefined,
  marksNow: boolean,
  isSilent: boolean,
): boolean {
  if (marksNow) return ready?.status === 'True'
  return isSilent && ready?.reason === 'NodeStatusUnknown'
}

function noteDeadline(tick: Tick, node: KnownNode, endMs: number): void {
  if (endMs < tick.nowMs + tick.settings.nodeMonitorPeriodMs) {
    tick.due.push({ atMs: endMs + 1, node: node.key.name, what: 'unknown' })
  }
}

interface Seen {
  readonly current: ConditionStatus | undefined
  readonly zone: string
  /** Set when it is declared silent now. */
  readonly silentSinceMs: number | undefined
}

function plan(tick: Tick, node: KnownNode, { current, zone, silentSinceMs }: Seen): void {
  const marks = silentSinceMs !== undefined
  const conditions = marks ? silencedConditions(node.object, tick.now) : undefined
  // Asked of the few that carry a taint, not of the whole fleet in every tick.
  const maySwap = () => nodeStopOf(tick, node.object, zone) === undefined
  const look = { current, isNew: isNew(tick, node), maySwap, nowMs: tick.nowMs }
  const found = planNode(node, look, conditions, silentSinceMs ?? 0)
  if (found) tick.plans.set(node.key.name, found)
}

/**
 * Not seen by this process's last tick; on a cold start, created since the last greeting that was
 * written down.
 */
export function isNew({ world }: Tick, node: KnownNode): boolean {
  if (world.greeted) return world.greeted.get(node.key.name) !== node.uid
  return !world.fleet || createdAtMs(node.object) > world.fleet.value.greetedThroughMs
}

function count(
  tick: Tick,
  { object }: KnownNode,
  current: ConditionStatus | undefined,
  beat: Beat | undefined,
): void {
  const tally = tallyOf(tick, zoneKey(object))
  tick.counts[current ?? 'missing']++
  tally.nodes++
  if (isExcludedFromDisruption(object)) return
  // Who is away on purpose is no sign of illness; who is back counts again.
  if (current !== 'True' && isAway(tick, object, beat)) return
  tally.size++
  if (current !== 'True') tally.notReady++
}

function isAway(tick: Tick, node: KnownNode['object'], beat: Beat | undefined): boolean {
  return hasDeparted(node, beat) || tick.nowMs < maintenanceUntilMs(node)
}

interface Candidate {
  readonly node: KnownNode
  readonly beat: Beat | undefined
  readonly current: ConditionStatus | undefined
  readonly isMarkedNow: boolean
  readonly zone: string
}

function wait(tick: Tick, candidate: Candidate): void {
  const { node, current, isMarkedNow } = candidate
  if (current !== 'False' && current !== 'Unknown') return
  // As it will be after this tick's write: swapped nodes do not queue, those that lost a foreign
  // taint do.
  const planned = tick.plans.get(node.key.name)?.taints ?? taintsOf(node.object)
  if (judgeTaints(current, planned) !== 'wait') return
  const waiting: Waiting = {
    node,
    current,
    isMarkedNow,
    eligibleAtMs: eligibleAtMs(tick, candidate),
  }
  tallyOf(tick, candidate.zone).waiting.push(waiting)
}

function eligibleAtMs(tick: Tick, { node, beat, current, isMarkedNow, zone }: Candidate): number {
  const { nowMs, settings, fleet } = tick
  // What is known to the second only may seem to lie ahead: nobody has to wait for that.
  const badMs = Math.min(nowMs, badSinceMs(node, beat))
  const sinceMs = isMarkedNow ? nowMs : Math.max(fleet.floorMs, badMs)
  return current === 'Unknown' ? settledAtMs(pausesOf(tick, zone), sinceMs, settings) : sinceMs
}

/**
 * The deadlines of a blackout are spread over one beat. Whoever is found first must not be evicted
 * before the last is found, so an Unknown node settles first. One that says itself that it is not
 * ready need not.
 */
export function settledAtMs(
  pauses: readonly Interval[],
  sinceMs: number,
  { nodeEvictionSettleMs }: Settings,
): number {
  return nodeEvictionSettleMs === 0
    ? sinceMs
    : sightedDeadlineMs(pauses, sinceMs, nodeEvictionSettleMs)
}

/** Since when, by our clock, is the node as it is? */
export function badSinceMs(node: KnownNode, beat: Beat | undefined): number {
  const ready = readyOf(node.object)
  if (ready?.status !== 'Unknown' || !isDeclared(ready)) return node.receivedAtMs ?? 0
  return declaredAtMs(ready, isOwnBeat(node, beat) ? beat.declaredAtMs : undefined)
}

/**
 * The lease knows the millisecond of the declaration; the condition only its second, so the last of
 * it is taken.
 */
function declaredAtMs(ready: NodeCondition, leaseDeclaredAtMs: number | undefined): number {
  const secondMs = parseTimeMs(ready.lastTransitionTime ?? '') ?? 0
  const isThisOne = leaseDeclaredAtMs !== undefined && leaseDeclaredAtMs >= secondMs
  return isThisOne ? leaseDeclaredAtMs : secondMs + 999
}
