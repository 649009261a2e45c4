/** Writes on nodes what is held back from them, when that changes. */
import type { Decision, HoldReason, KnownNode } from '../../../shared/lifecycle/world.ts'
import type { Applying } from '../apply/applying.ts'
import { updateNodes } from '../apply/nodes.ts'
import { withHeld } from '../held-condition.ts'
import type { Session } from '../session.ts'

/**
 * A whole fleet held at once is on the fleet and the zones at once; its nodes follow bit by bit.
 */
const WRITES_A_TICK = 100

/**
 * Waiting one's turn is no hold, and blindness is not written on nodes: a service in trouble should
 * write less, not more.
 */
const UNWRITTEN: readonly HoldReason[] = ['settling', 'waitingForToken', 'blind']

export async function writeHolds(
  session: Session,
  applying: Applying,
  decision: Decision,
): Promise<void> {
  if (session.deps.settings.observe) return
  const held = heldNodes(decision)
  const names = new Set([...held.keys(), ...session.heldNodes])
  const updates: { node: KnownNode; next: KnownNode['object'] }[] = []
  for (const name of names) {
    const node = session.nodes.objects.get(`/${name}`) as KnownNode | undefined
    const next = node && withHeld(node.object, held.get(name), applying.nowMs)
    if (node && next && next !== node.object) updates.push({ node, next })
    if (updates.length === WRITES_A_TICK) break
  }
  await updateNodes(applying, updates, 'held')
}

function heldNodes({ holds, zones }: Decision): ReadonlyMap<string, HoldReason> {
  const held = new Map<string, HoldReason>()
  const waiting = new Map(zones.map((zone) => [zone.key, zone.waiting]))
  for (const { what, why, zone, node } of holds) {
    if (what === 'mark' || UNWRITTEN.includes(why)) continue
    // A hold without a node holds everybody who waits in the zone.
    for (const name of node ? [node] : (waiting.get(zone) ?? [])) held.set(name, why)
  }
  return held
}
