/**
 * Everything known, one instant, the settings: what is to be done?
 *
 * All nodes first, then zones from what is true now, then who may be tainted, then pods. Pure:
 * nothing here reads a clock or remembers anything, so whoever dies half-way through the actions is
 * taken over by the next decision.
 */
import { endInterval, judgeSight, startInterval } from './blindness.ts'
import { readyOf } from './conditions.ts'
import { nodeNotReady, registeredNode, removingNode } from './events.ts'
import { isNew, lookAtNode } from './node-look.ts'
import { changesNode, type NodePlan, plannedNode, stripped } from './node-plan.ts'
import { decideEvictions, markBoundPods, markPods } from './pod-decisions.ts'
import type { Settings } from './settings.ts'
import { grantTaints } from './taint-grants.ts'
import { newFleet, openTick, type Tick } from './tick.ts'
import type { Action, Decision, FleetRecord, World } from './world.ts'
import { isExcludedFromDisruption } from './zone-key.ts'
import { fleetChange, hasEntered, type Turned, turnZones, writeZones } from './zone-turn.ts'

export function decide(world: World, nowMs: number, settings: Settings): Decision {
  const tick = openTick(world, seenFleet(world, nowMs, settings), nowMs, settings)
  for (const node of world.nodes.values()) lookAtNode(tick, node)

  const turned = turnZones(tick)
  greet(tick)
  writeFleetAndZones(tick, turned)
  for (const plan of tick.plans.values()) carryOut(tick, plan)
  grantTaints(tick, turned)
  for (const { node, isMarkedNow } of tick.silent) markPods(tick, node, isMarkedNow)
  markBoundPods(tick)
  for (const [node, pods] of world.podsByNode) decideEvictions(tick, node, pods)
  return conclude(tick, turned)
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
  const tick = openTick(world, seenFleet(world, nowMs, settings), nowMs, settings)
  for (const name of names) {
    const node = world.nodes.get(name)
    if (node) lookAtNode(tick, node)
    const plan = tick.plans.get(name)
    if (plan?.conditions) carryOut(tick, plan)
    if (plan?.conditions) markPods(tick, plan.node, true)
  }
  if (isAnybodyUp(tick)) {
    for (const name of names) decideEvictions(tick, name, world.podsByNode.get(name) ?? [])
  }
  return settings.observe ? [] : tick.actions
}

/**
 * Who fell since the tick may have been the last one up. Whether that is a disruption is for the
 * next tick to say, which judges the whole fleet; nobody goes before.
 */
function isAnybodyUp({ world, plans }: Tick): boolean {
  for (const { key, object } of world.everyNode ?? world.nodes.values()) {
    const isUp = readyOf(object)?.status === 'True' && !plans.get(key.name)?.conditions
    if (isUp && !isExcludedFromDisruption(object)) return true
  }
  return false
}

/**
 * The fleet record with blindness beginning or ending now. A doubtful clock writes nothing down.
 */
function seenFleet(world: World, nowMs: number, settings: Settings): FleetRecord {
  const fleet = world.fleet?.value ?? newFleet()
  const sight = judgeSight(world.signs, settings.nodeMonitorGracePeriodMs, nowMs)
  if (sight.kind === 'doubtful') return fleet
  const blind =
    sight.kind === 'blind'
      ? startInterval(fleet.blind, sight.sinceMs, sight.why)
      : endInterval(fleet.blind, nowMs)
  return blind === fleet.blind ? fleet : { ...fleet, blind }
}

// ---- greetings ----------------------------------------------------------------------------------

/**
 * A node may be written by a clock a little behind ours; those are greeted twice rather than never.
 */
const GREETING_OVERLAP_MS = 10_000
/** So that a monitor that starts cold need not greet everybody since the last newcomer again. */
const GREETING_AGE_MS = 600_000

function greet(tick: Tick): void {
  const { nodes, greeted } = tick.world
  let newcomers = 0
  for (const node of nodes.values()) {
    if (!isNew(tick, node)) continue
    newcomers++
    tick.actions.push({ do: 'event', event: registeredNode(node.key.name, node.uid) })
  }
  for (const [name, uid] of greeted ?? []) {
    if (nodes.get(name)?.uid === uid) continue
    tick.actions.push({ do: 'event', event: removingNode(name, uid) })
  }
  const ageMs = tick.nowMs - tick.fleet.greetedThroughMs
  if (newcomers === 0 && ageMs < GREETING_AGE_MS) return
  tick.fleet = { ...tick.fleet, greetedThroughMs: tick.nowMs - GREETING_OVERLAP_MS }
}

// ---- records, nodes, pods -----------------------------------------------------------------------

function writeFleetAndZones(tick: Tick, turned: Turned): void {
  if (hasEntered(tick, turned)) tick.fleet = { ...tick.fleet, disruption: 'entered' }
  writeZones(tick, turned)
  const before = tick.world.fleet?.value
  const isWritten = turned.turn === 'enter' || turned.turn === 'leave'
  if (isWritten || tick.fleet === before || tick.sight.kind === 'doubtful') return
  tick.actions.push({
    do: 'changeFleet',
    fleet: fleetChange(tick),
    why: changed(before, tick.fleet),
  })
}

function changed(before: FleetRecord = newFleet(), after: FleetRecord): readonly string[] {
  const why: string[] = []
  if (before.blind !== after.blind) {
    why.push(after.blind.at(-1)?.untilMs === undefined ? 'blindEntered' : 'blindLeft')
  }
  if (before.disruption !== after.disruption) why.push('disruptionEntered')
  if (before.greetedThroughMs !== after.greetedThroughMs) why.push('greeted')
  return why
}

function carryOut(tick: Tick, planned: NodePlan): void {
  const plan = tick.fleet.disruption === 'entering' ? stripped(planned) : planned
  if (!changesNode(plan)) return
  const { node, why, deadlineMs, conditions } = plan
  const next = plannedNode(plan)
  if (!conditions) {
    tick.actions.push({ do: 'updateNode', node, next, why })
    return
  }
  const beat = tick.world.beats.get(node.key.name)
  const lease = beat ? { version: beat.version } : 'none'
  // Only a host we thought well of until now is news; one that said itself that it was ill is not.
  const events = readyOf(node.object)?.status === 'True' ? [nodeNotReady(node.object)] : []
  tick.actions.push({ do: 'markUnknown', node, lease, next, deadlineMs, events })
}

function conclude(tick: Tick, { zones }: Turned): Decision {
  const { observe } = tick.settings
  const done = observe ? tick.actions.filter(isBookkeeping) : tick.actions
  const withheld = observe ? tick.actions.filter((action) => !isBookkeeping(action)) : []
  const total = (what: Action['do']) => done.filter((action) => action.do === what).length
  const { True, False, Unknown, missing } = tick.counts
  return {
    actions: done,
    withheld,
    holds: tick.holds,
    zones: [...tick.zones.values()].map(({ key, waiting }) => ({
      key,
      record: zones.get(key)!,
      waiting: waiting.map(({ node }) => node.key.name),
    })),
    counts: {
      nodes: tick.world.nodes.size,
      ready: True,
      notReady: False,
      unknown: Unknown,
      missing,
      marked: total('markUnknown'),
      tainted: total('taintNoExecute'),
      evicted: total('evictPod'),
    },
    due: tick.due.sort((a, b) => a.atMs - b.atMs),
  }
}

/** What `observe` still writes: what it has seen, never what follows from it. */
function isBookkeeping(action: Action): boolean {
  const writes = ['zoneChanged', 'dropZone', 'enterDisruption', 'leaveDisruption', 'changeFleet']
  return writes.includes(action.do)
}
