/**
 * What should the monitor do now? Everything it knows, one instant and the settings go in; a list
 * of actions comes out. Pure: it reads no clock and keeps nothing, so when a monitor dies while
 * applying the actions, the next tick decides again from what is stored.
 *
 * The order matters: judge every node, derive zone states from those judgements, grant NoExecute
 * taints, then decide about pods.
 */
import { MONITOR_OVERLAP_MS } from './clock-bounds.ts'
import { type DecisionDraft, startDecision } from './decision-draft.ts'
import { decideEvictions, markBoundPods, markPods } from './eviction/pod-decisions.ts'
import { markEvidence } from './evidence.ts'
import { readyOf } from './liveness/health.ts'
import { isNew, judgeNode } from './liveness/judge-node.ts'
import {
  changesNode,
  type NodePlan,
  plannedNode,
  stripLifecycleTaints,
} from './liveness/node-plan.ts'
import { endInterval, startInterval } from './liveness/visibility.ts'
import type { Settings } from './settings.ts'
import { grantNoExecuteTaints } from './taints/grants.ts'
import type { Action, Decision, FleetRecord, World } from './world.ts'
import { newFleet } from './zones/disruption.ts'
import { isExcludedFromDisruption } from './zones/zone-state.ts'
import {
  recordFleetAndZones,
  transitionZones,
  type ZoneTransitions,
} from './zones/zone-transitions.ts'

export function decide(world: World, nowMs: number, settings: Settings): Decision {
  const draft = startDecision({ world, fleet: observedFleet(world, nowMs), nowMs, settings })
  for (const node of world.nodes.values()) judgeNode(draft, node)

  const transitions = transitionZones(draft)
  noteNewNodes(draft)
  recordFleetAndZones(draft, transitions)
  for (const plan of draft.plans.values()) planNodeWrite(draft, plan)
  grantNoExecuteTaints(draft, transitions)
  for (const { node, isMarkedNow } of draft.silent) markPods(draft, node, isMarkedNow)
  markBoundPods(draft)
  for (const [node, pods] of world.podsByNode) decideEvictions(draft, node, pods)
  return finishDecision(draft, transitions)
}

/**
 * Between ticks: only the marks and evictions of the named nodes, which have just been read again.
 */
export function decideDue(
  world: World,
  names: readonly string[],
  nowMs: number,
  settings: Settings,
): readonly Action[] {
  const draft = startDecision({ world, fleet: observedFleet(world, nowMs), nowMs, settings })
  for (const name of names) {
    const node = world.nodes.get(name)
    if (node) judgeNode(draft, node)
    const plan = draft.plans.get(name)
    if (plan?.conditions) planNodeWrite(draft, plan)
    if (plan?.conditions) markPods(draft, plan.node, true)
  }
  if (hasReadyNode(draft)) {
    for (const name of names) decideEvictions(draft, name, world.podsByNode.get(name) ?? [])
  }
  return settings.observe ? [] : draft.actions
}

/**
 * A node marked since the last tick may have been the last Ready one. Only a full tick can declare
 * fleet disruption, so between ticks no pod is evicted when no node is Ready.
 */
function hasReadyNode({ world, plans }: DecisionDraft): boolean {
  for (const { key, object } of world.everyNode ?? world.nodes.values()) {
    const isReady = readyOf(object)?.status === 'True' && !plans.get(key.name)?.conditions
    if (isReady && !isExcludedFromDisruption(object)) return true
  }
  return false
}

/** The fleet record with blindness beginning or ending now; a doubtful clock records no time. */
function observedFleet({ fleet: stored, visibility }: World, nowMs: number): FleetRecord {
  const fleet = stored?.value ?? newFleet()
  if (visibility.kind === 'doubtful') return fleet
  const blind =
    visibility.kind === 'blind'
      ? startInterval(fleet.blind, visibility.sinceMs, visibility.why)
      : endInterval(fleet.blind, nowMs)
  return blind === fleet.blind ? fleet : { ...fleet, blind }
}

/** To a cold monitor at most the nodes of the last ten minutes are new. */
const MAX_LOOK_BACK_MS = 600_000

function noteNewNodes(draft: DecisionDraft): void {
  const hasNew = draft.world.nodes.values().some((node) => isNew(draft, node))
  const ageMs = draft.nowMs - draft.fleet.greetedThroughMs
  if (!hasNew && ageMs < MAX_LOOK_BACK_MS) return
  // A node may be written by a clock behind ours: rather new twice than never.
  draft.fleet = { ...draft.fleet, greetedThroughMs: draft.nowMs - MONITOR_OVERLAP_MS }
}

function planNodeWrite(draft: DecisionDraft, planned: NodePlan): void {
  const plan = draft.fleet.disruption === 'entering' ? stripLifecycleTaints(planned) : planned
  if (!changesNode(plan)) return
  const { node, why, deadlineMs, conditions } = plan
  const next = plannedNode(plan)
  if (!conditions) {
    draft.actions.push({ do: 'updateNode', node, next, why })
    return
  }
  const beat = draft.world.beats.get(node.key.name)
  const lease = beat ? { version: beat.version } : 'none'
  // As in Kubernetes: no Event about a node that had reported itself that it was not ready.
  const wasReady = readyOf(node.object)?.status === 'True'
  const { window, settings, nowMs } = draft
  const because = markEvidence({ node, beat, window, settings }, nowMs)
  const emits = wasReady ? (['NodeNotReady', because] as const) : [because]
  draft.actions.push({ do: 'markUnknown', node, lease, next, deadlineMs, emits })
}

function finishDecision(draft: DecisionDraft, { zones }: ZoneTransitions): Decision {
  const { observe } = draft.settings
  const actions = observe ? draft.actions.filter(isBookkeeping) : draft.actions
  const withheld = observe ? draft.actions.filter((action) => !isBookkeeping(action)) : []
  const total = (what: Action['do']) => actions.filter((action) => action.do === what).length
  const { True, False, Unknown, missing } = draft.counts
  return {
    actions,
    withheld,
    holds: draft.holds,
    zones: [...draft.zones.values()].map(({ key, waiting }) => ({
      key,
      record: zones.get(key)!,
      waiting: waiting.map(({ node }) => node.key.name),
    })),
    counts: {
      nodes: draft.world.nodes.size,
      ready: True,
      notReady: False,
      unknown: Unknown,
      missing,
      marked: total('markUnknown'),
      tainted: total('taintNoExecute'),
      evicted: total('evictPod'),
    },
    due: draft.due.sort((a, b) => a.atMs - b.atMs),
  }
}

/** What `observe` still writes: what the monitor has seen, never what follows from it. */
function isBookkeeping(action: Action): boolean {
  const writes = ['zoneChanged', 'dropZone', 'enterDisruption', 'leaveDisruption', 'changeFleet']
  return writes.includes(action.do)
}
