/**
 * Between ticks: a node whose deadline comes before the next tick is read again, consistently, at
 * that moment, so that the delay from deadline to Unknown is a fraction of a second.
 */
import { decideDue } from '../../shared/lifecycle/decide.ts'
import type { Beat, DueNode, KnownNode, World } from '../../shared/lifecycle/world.ts'
import { nodeLeaseNamespace, ownerUidOf } from '../../shared/store/lease-state.ts'
import type { Key, StoredLease } from '../../shared/store/ports.ts'
import { apply } from './apply/apply.ts'
import { type ActionCounts, type ApplyContext, applyContext } from './apply/context.ts'
import { rereadVisibility } from './read/world.ts'
import type { MonitorSession } from './session.ts'
import { readState, recordsIn } from './stored-state/stored-state.ts'
import { writePauses } from './stored-state/write.ts'
import type { TickReport } from './tick.ts'

/** Nodes whose deadlines lie closer together are handled in one round. */
const GATHER_MS = 100

/**
 * Works until the next tick is due; `onRound` gets what each round did. A mark that another writer
 * outran is judged again in the next round, as Kubernetes tries again at once.
 */
export async function workDeadlines(
  session: MonitorSession,
  report: TickReport,
  untilMs: number,
  hooks: { readonly signal: AbortSignal; readonly onRound: (actionCounts: ActionCounts) => void },
): Promise<void> {
  const { clock, sleep } = session.deps
  const again = (names: ReadonlySet<string>): readonly DueNode[] =>
    [...names].map((node) => ({ atMs: clock(), node, what: 'unknown' }))
  const queue = [...again(report.outrunMarks), ...report.decision.due]
  let earliestMs = 0
  while (queue.length > 0 && !hooks.signal.aborted) {
    const wakeMs = Math.max(queue[0]!.atMs, earliestMs)
    if (wakeMs >= untilMs) return
    if (wakeMs > clock()) await sleep(wakeMs - clock(), hooks.signal)
    if (hooks.signal.aborted) return
    const names = new Set<string>()
    while (queue.length > 0 && queue[0]!.atMs <= clock()) names.add(queue.shift()!.node)
    earliestMs = clock() + GATHER_MS
    if (names.size === 0) continue
    const { actionCounts, outrunMarks } = await deadlineRound(session, [...names])
    queue.unshift(...again(outrunMarks))
    hooks.onRound(actionCounts)
  }
}

export async function deadlineRound(
  session: MonitorSession,
  names: readonly string[],
): Promise<ApplyContext> {
  const { clock, settings } = session.deps
  const nowMs = clock()
  const [few, state] = await Promise.all([reread(session, names, nowMs), readState(session)])
  const context = applyContext(session, state, nowMs)
  await writePauses(context, few.visibility)

  const world = { ...few, ...recordsIn(state, settings, nowMs) }
  await apply(context, decideDue(world, names, nowMs, settings))
  return context
}

/** The world of those nodes alone, as it is now. */
async function reread(
  session: MonitorSession,
  names: readonly string[],
  nowMs: number,
): Promise<Omit<World, 'zones'>> {
  const [leases, seen] = await Promise.all([
    session.deps.store.leases.read(names.map((name) => ({ namespace: nodeLeaseNamespace, name }))),
    rereadVisibility(session, nowMs),
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
    ...seen,
    ...(session.knownNodes && { knownNodes: session.knownNodes }),
  }
}

function podKeys({ podsByNode }: MonitorSession, names: readonly string[]): readonly Key[] {
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
