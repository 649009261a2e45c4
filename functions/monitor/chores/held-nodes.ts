/** Shows on each node, as a condition, what is held back from it. */

import type { Node, NodeCondition } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { conditionOf } from '../../../shared/lifecycle/liveness/health.ts'
import type { Decision, HoldReason, KnownNode } from '../../../shared/lifecycle/world.ts'
import { holdMessage } from '../../../shared/lifecycle/zones/holds.ts'
import type { ApplyContext } from '../apply/context.ts'
import { updateNodes } from '../apply/nodes.ts'
import type { MonitorSession } from '../session.ts'
import type { Chore } from './chore.ts'

/** When a whole fleet is held, the fleet and its zones show it at once, the nodes bit by bit. */
const WRITES_A_TICK = 100

/**
 * Waiting for a token is no hold, and neither blindness nor refused beats are written on nodes: a
 * service in trouble should write less, not more.
 */
const UNWRITTEN: readonly HoldReason[] = ['settling', 'waitingForToken', 'blind', 'refused']

export function heldNodesChore(session: MonitorSession): Chore | undefined {
  const { deps, nodes } = session
  if (deps.settings.observe) return undefined
  const shown = new Set<string>()
  nodes.onChange((before, after) => {
    if (before) shown.delete(before.key.name)
    if (after && heldOf((after as KnownNode).object)) shown.add(after.key.name)
  })
  return {
    name: 'show what is held back',
    everyMs: 0,
    work: (context, { decision }) =>
      updateNodes(context, changesOf(context, decision, shown), 'held'),
  }
}

/** `shown`: nodes that carry the condition now. */
function changesOf({ nodes, nowMs }: ApplyContext, decision: Decision, shown: Iterable<string>) {
  const held = heldNodes(decision)
  const names = new Set([...held.keys(), ...shown])
  const updates: { node: KnownNode; next: KnownNode['object'] }[] = []
  for (const name of names) {
    const node = nodes.objects.get(`/${name}`) as KnownNode | undefined
    const next = node && withHeld(node.object, held.get(name), nowMs)
    if (node && next && next !== node.object) updates.push({ node, next })
    if (updates.length === WRITES_A_TICK) break
  }
  return updates
}

function heldNodes({ holds, zones }: Decision): ReadonlyMap<string, HoldReason> {
  const held = new Map<string, HoldReason>()
  const waiting = new Map(zones.map((zone) => [zone.key, zone.waiting]))
  for (const { what, why, zone, node } of holds) {
    if (what === 'mark' || UNWRITTEN.includes(why)) continue
    // A hold without a node holds every node that waits in the zone.
    for (const name of node ? [node] : (waiting.get(zone) ?? [])) held.set(name, why)
  }
  return held
}

/** A condition of our own, absent where nothing is held back. */
const HELD_CONDITION = 'EvictionHeld'

const heldOf = (node: Node): NodeCondition | undefined => conditionOf(node, HELD_CONDITION)

/** The node with the condition for that reason, or without it; the same node if nothing changes. */
function withHeld(node: Node, why: HoldReason | undefined, nowMs: number): Node {
  const before = heldOf(node)
  if (before?.reason === why) return node
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== HELD_CONDITION)
  const held = why ? [heldCondition(why, nowMs)] : []
  return { ...node, status: { ...node.status, conditions: [...others, ...held] } }
}

function heldCondition(reason: HoldReason, nowMs: number): NodeCondition {
  return {
    type: HELD_CONDITION,
    status: 'True',
    reason,
    message: holdMessage([reason]),
    lastTransitionTime: formatTime(nowMs),
  }
}
