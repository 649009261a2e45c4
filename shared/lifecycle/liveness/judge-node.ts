/**
 * Judges one node: is it alive, what is written on it, does it count for its zone, does it wait for
 * a NoExecute taint?
 */
import type { ConditionStatus, NodeCondition } from '../../kube/objects.ts'
import { parseTimeMs } from '../../kube/time.ts'
import { canJudge, type DecisionDraft, tallyOf, type WaitingNode } from '../decision-draft.ts'
import type { Settings } from '../settings.ts'
import { hasLifecycleTaint, judgeTaints } from '../taints/node-taints.ts'
import { taintsOf } from '../taints/taints.ts'
import type { Beat, KnownNode } from '../world.ts'
import { nodeHoldReason, pausesOf } from '../zones/holds.ts'
import { isExcludedFromDisruption, zoneKey } from '../zones/zone-state.ts'
import {
  createdAtMs,
  deadlineMs,
  hasDeparted,
  isDeclared,
  isOwnBeat,
  maintenanceUntilMs,
  readyOf,
  unknownConditions,
} from './health.ts'
import { planNode } from './node-plan.ts'
import { type Interval, observedDeadlineMs } from './visibility.ts'

export function judgeNode(draft: DecisionDraft, node: KnownNode): void {
  const beat = draft.world.beats.get(node.key.name)
  const ready = readyOf(node.object)
  const endMs = deadlineMs(node, beat, draft.window, draft.settings)
  const isSilent = draft.nowMs > endMs
  const marks = isSilent && ready?.status !== 'Unknown'
  if (!isSilent) noteDeadline(draft, node, endMs)

  const zone = zoneKey(node.object)
  if (isSpared(draft, node, beat, endMs)) {
    const held = { zone, node: node.key.name, untilMs: endMs }
    draft.holds.push({ what: 'mark', why: 'refused', ...held })
  }
  if (marks && !canJudge(draft)) {
    draft.holds.push({ what: 'mark', why: 'blind', zone, node: node.key.name })
  }
  const marksNow = marks && canJudge(draft)
  // From here on a node that is being marked counts as Unknown: zone states follow what is true,
  // not what is stored.
  const current = marksNow ? 'Unknown' : ready?.status
  if (losesPods(ready, marksNow, isSilent && canJudge(draft))) {
    draft.silent.push({ node, isMarkedNow: marksNow })
  }
  planNodeChanges(draft, node, { current, zone, silentSinceMs: marksNow ? endMs : undefined })
  countInZone(draft, node, current, beat)
  queueForTaint(draft, { node, beat, current, isMarkedNow: marksNow, zone })
}

/** Only because we refused its beats is it not marked. */
function isSpared(
  { window, settings, nowMs }: DecisionDraft,
  node: KnownNode,
  beat: Beat | undefined,
  endMs: number,
): boolean {
  if (nowMs > endMs || !window.refusals?.has(node.key.name)) return false
  if (readyOf(node.object)?.status === 'Unknown') return false
  return nowMs > deadlineMs(node, beat, { ...window, refusals: new Map() }, settings)
}

/**
 * With the mark if the node was Ready until then, and from then on in every tick while it stays
 * silent, so that no process has to remember it. A host that never reported never ran a pod.
 */
function losesPods(
  ready: NodeCondition | undefined,
  marksNow: boolean,
  isSilent: boolean,
): boolean {
  if (marksNow) return ready?.status === 'True'
  return isSilent && ready?.reason === 'NodeStatusUnknown'
}

function noteDeadline(draft: DecisionDraft, node: KnownNode, endMs: number): void {
  if (endMs < draft.nowMs + draft.settings.nodeMonitorPeriodMs) {
    draft.due.push({ atMs: endMs + 1, node: node.key.name, what: 'unknown' })
  }
}

interface Judged {
  readonly current: ConditionStatus | undefined
  readonly zone: string
  /** The deadline, set when the node is marked now. */
  readonly silentSinceMs: number | undefined
}

function planNodeChanges(
  draft: DecisionDraft,
  node: KnownNode,
  { current, zone, silentSinceMs }: Judged,
): void {
  const marks = silentSinceMs !== undefined
  const conditions = marks ? unknownConditions(node.object, draft.now) : undefined
  // Asked of the few that carry a taint, not of the whole fleet in every tick.
  const isTainted = hasLifecycleTaint(taintsOf(node.object))
  const maySwap = isTainted && nodeHoldReason(draft, node, zone) === undefined
  const observation = { current, isNew: isNew(draft, node), maySwap, nowMs: draft.nowMs }
  const found = planNode(node, observation, conditions, silentSinceMs ?? 0)
  if (found) draft.plans.set(node.key.name, found)
}

/** Not seen by this process's last tick; on a cold start, created since the last new node. */
export function isNew({ world }: DecisionDraft, node: KnownNode): boolean {
  if (world.knownNodes) return world.knownNodes.get(node.key.name) !== node.uid
  return !world.fleet || createdAtMs(node.object) > world.fleet.value.greetedThroughMs
}

function countInZone(
  draft: DecisionDraft,
  { object }: KnownNode,
  current: ConditionStatus | undefined,
  beat: Beat | undefined,
): void {
  const tally = tallyOf(draft, zoneKey(object))
  draft.counts[current ?? 'missing']++
  tally.nodes++
  if (isExcludedFromDisruption(object)) return
  // A node that is away on purpose is not unhealthy; one that is back counts again.
  if (current !== 'True' && isAway(draft, object, beat)) return
  tally.size++
  if (current !== 'True') tally.notReady++
}

function isAway(draft: DecisionDraft, node: KnownNode['object'], beat: Beat | undefined): boolean {
  return hasDeparted(node, beat) || draft.nowMs < maintenanceUntilMs(node)
}

interface Candidate {
  readonly node: KnownNode
  readonly beat: Beat | undefined
  readonly current: ConditionStatus | undefined
  readonly isMarkedNow: boolean
  readonly zone: string
}

function queueForTaint(draft: DecisionDraft, candidate: Candidate): void {
  const { node, current, isMarkedNow } = candidate
  if (current !== 'False' && current !== 'Unknown') return
  // As it will be after this tick's write: a node whose taint is swapped does not queue, one that
  // loses a taint of its manifest does.
  const planned = draft.plans.get(node.key.name)?.taints ?? taintsOf(node.object)
  if (judgeTaints(current, planned) !== 'wait') return
  const waiting: WaitingNode = {
    node,
    current,
    isMarkedNow,
    eligibleAtMs: eligibleAtMs(draft, candidate),
  }
  tallyOf(draft, candidate.zone).waiting.push(waiting)
}

function eligibleAtMs(
  draft: DecisionDraft,
  { node, beat, current, isMarkedNow, zone }: Candidate,
): number {
  const { nowMs, settings, fleet } = draft
  // A time that is stored to the second only may seem to lie ahead: no node waits for that.
  const badMs = Math.min(nowMs, notReadySinceMs(node, beat))
  const sinceMs = isMarkedNow ? nowMs : Math.max(fleet.floorMs, badMs)
  return current === 'Unknown' ? settledAtMs(pausesOf(draft, zone), sinceMs, settings) : sinceMs
}

/**
 * The deadlines of a blackout are spread over one renew interval. The first node found must not be
 * evicted before the last is found, so an Unknown node settles first. A node that reports itself
 * that it is not ready need not.
 */
export function settledAtMs(
  pauses: readonly Interval[],
  sinceMs: number,
  { nodeEvictionSettleMs }: Settings,
): number {
  return nodeEvictionSettleMs === 0
    ? sinceMs
    : observedDeadlineMs(pauses, sinceMs, nodeEvictionSettleMs)
}

/** Since when, by our clock, is the node as it is? */
export function notReadySinceMs(node: KnownNode, beat: Beat | undefined): number {
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
