/**
 * Between ticks: whoever's time runs out before the next one is read again, consistently, at that
 * moment, so that the delay from deadline to Unknown is a fraction of a second.
 */
import { decideDue } from '../../shared/lifecycle/decide.ts'
import type { Beat, KnownNode, World } from '../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace, ownerUidOf } from '../../shared/store/lease-state.ts'
import type { Key, StoredLease } from '../../shared/store/ports.ts'
import { apply } from './apply/apply.ts'
import { writeSwitches } from './apply/switches.ts'
import type { Tally } from './apply/tally.ts'
import { rereadSigns } from './read/signs.ts'
import { recordsIn } from './read/world.ts'
import type { Session } from './session.ts'
import { handsFor, readBooks, type TickReport } from './tick.ts'

/** Those whose deadlines lie closer together are looked at together. */
const GATHER_MS = 100

/** Works until the next tick is due; `onRound` is told what each round did. */
export async function workDue(
  session: Session,
  report: TickReport,
  untilMs: number,
  hooks: { readonly signal: AbortSignal; readonly onRound: (tally: Tally) => void },
): Promise<void> {
  const { clock, sleep } = session.deps
  const queue = [...report.decision.due]
  let earliestMs = 0
  while (queue.length > 0 && !hooks.signal.aborted) {
    const wakeMs = Math.max(queue[0]!.atMs, earliestMs)
    if (wakeMs >= untilMs) return
    if (wakeMs > clock()) await sleep(wakeMs - clock(), hooks.signal)
    if (hooks.signal.aborted) return
    const names = new Set<string>()
    while (queue.length > 0 && queue[0]!.atMs <= clock()) names.add(queue.shift()!.node)
    earliestMs = clock() + GATHER_MS
    if (names.size > 0) hooks.onRound(await dueRound(session, [...names]))
  }
}

export async function dueRound(session: Session, names: readonly string[]): Promise<Tally> {
  const nowMs = session.deps.clock()
  const [few, books] = await Promise.all([reread(session, names), readBooks(session)])
  const applying = handsFor(session, books, nowMs)
  await writeSwitches(applying, few.signs)

  const world = { ...few, ...recordsIn(session, books, nowMs) }
  await apply(applying, decideDue(world, names, nowMs, session.deps.settings))
  return applying.tally
}

/** The little world of those nodes, as it is now. */
async function reread(session: Session, names: readonly string[]): Promise<Omit<World, 'zones'>> {
  const [leases, signs] = await Promise.all([
    session.deps.store.leases.read(names.map((name) => ({ namespace: nodeLeaseNamespace, name }))),
    rereadSigns(session),
    session.nodes.reread(names.map((name) => ({ namespace: '', name }))),
    session.pods.reread(podKeys(session, names)),
  ])
  const beats = new Map(leases.map((lease) => [lease.key.name, beatOf(lease)]))
  const nodes = names.flatMap((name) => session.nodes.objects.get(`/${name}`) ?? [])
  return {
    nodes: new Map(nodes.map((node) => [node.key.name, node as KnownNode])),
    everyNode: session.nodes.objects.values() as Iterable<KnownNode>,
    beats,
    podsByNode: session.podsByNode.byNode,
    signs,
    ...(session.greeted && { greeted: session.greeted }),
  }
}

function podKeys({ podsByNode }: Session, names: readonly string[]): readonly Key[] {
  return names.flatMap((name) => (podsByNode.byNode.get(name) ?? []).map(({ key }) => key))
}

function beatOf(lease: StoredLease): Beat {
  const { key, version, object, receivedAtMs, declaredAtMs, ownGraceMs } = lease
  const ownerUid = ownerUidOf(object.metadata)
  return {
    name: key.name,
    version,
    holderIdentity: object.spec?.holderIdentity ?? '',
    ...(receivedAtMs !== undefined && { receivedAtMs }),
    ...(ownerUid !== undefined && { ownerUid }),
    ...(declaredAtMs !== undefined && { declaredAtMs }),
    ...(ownGraceMs !== undefined && { ownGraceMs }),
  }
}
