/** One tick: read, decide, apply. */
import type { Node } from '../../shared/kube/objects.ts'
import { decide } from '../../shared/lifecycle/decide.ts'
import { podsOwed } from '../../shared/lifecycle/pods-not-ready.ts'
import type { Decision, KnownPod, World } from '../../shared/lifecycle/world.ts'
import { keyText } from '../../shared/store/object-state.ts'
import { apply } from './apply/apply.ts'
import type { Applying } from './apply/applying.ts'
import { type Books, openBooks } from './apply/books.ts'
import { isOver, removePods } from './apply/pods.ts'
import { writeSwitches } from './apply/switches.ts'
import { newTally, type Tally } from './apply/tally.ts'
import { readRecords } from './read/records.ts'
import { look, worldOf } from './read/world.ts'
import type { Session } from './session.ts'

export interface TickReport {
  readonly nowMs: number
  readonly world: World
  readonly decision: Decision
  readonly books: Books
  readonly tally: Tally
  readonly poisoned: number
  readonly tookMs: number
}

/** However short the period, a tick may work this long; then it leaves the rest to the next. */
const LEAST_BUDGET_MS = 10_000

export async function tick(session: Session): Promise<TickReport> {
  const { clock, settings } = session.deps
  // Before anything is read: a beat that arrives meanwhile can only help its host.
  const nowMs = clock()
  const seen = await look(session, nowMs)
  const books = await readBooks(session)
  const applying = handsFor(session, books, nowMs)
  await writeSwitches(applying, seen.signs)

  const bound = session.podsByNode.bound().length
  const world = worldOf(session, seen, books, nowMs)
  const decision = decide(world, nowMs, settings)
  session.view = { ...session.view, counts: decision.counts }
  await apply({ ...applying, view: session.view }, decision.actions)
  await removePods(applying, ended(session))
  session.podsByNode.forgetBound(bound)
  session.podsByNode.owe(podsOwed(decision.actions, nowIn(session)))
  remember(session, books)
  const { tally } = applying
  const tookMs = clock() - nowMs
  return { nowMs, world, decision, books, tally, poisoned: seen.poisoned, tookMs }
}

export async function readBooks(session: Session): Promise<Books> {
  const { store } = session.deps
  const records = await readRecords(store, session.zoneSizes.keys(), session.knownZones)
  return openBooks(records.fleet, records.zones)
}

export function handsFor(session: Session, books: Books, nowMs: number): Applying {
  const { deps, nodes, pods, view } = session
  const untilMs = nowMs + Math.max(LEAST_BUDGET_MS, deps.settings.nodeMonitorPeriodMs)
  const tally = newTally()
  return { deps, nowMs, nodes, pods, books, view, tally, isOver: () => deps.clock() > untilMs }
}

/**
 * A pod evicted without any grace is marked and then removed; whoever died in between left some.
 */
function ended({ pods }: Session): KnownPod[] {
  const found: KnownPod[] = []
  for (const pod of pods.objects.values()) {
    if (pod.object.metadata.deletionTimestamp && isOver(pod as KnownPod))
      found.push(pod as KnownPod)
  }
  return found
}

const nowIn = ({ nodes, pods }: Session) => ({
  node: (name: string) => nodes.objects.get(`/${name}`)?.object as Node | undefined,
  pod: ({ key }: KnownPod) => pods.objects.get(keyText(key)) as KnownPod | undefined,
})

function remember(session: Session, books: Books): void {
  session.knownZones = [...books.zones.values()].map(({ key }) => key)
  const { objects } = session.nodes
  if (isSame(session.greeted, objects.values())) return
  session.greeted = new Map([...objects.values()].map(({ key, uid }) => [key.name, uid]))
}

function isSame(
  greeted: ReadonlyMap<string, string> | undefined,
  nodes: Iterable<{ readonly key: { readonly name: string }; readonly uid: string }>,
): boolean {
  if (!greeted) return false
  let count = 0
  for (const { key, uid } of nodes) {
    if (greeted.get(key.name) !== uid) return false
    count++
  }
  return count === greeted.size
}
