/** Everything a decision may rest on, read for one tick. */
import {
  BEATING_MS,
  judgeVisibility,
  latestRefusals,
} from '../../../shared/lifecycle/liveness/visibility.ts'
import { REFUSED_BEATS_PREFIX, type RefusedBeats } from '../../../shared/lifecycle/record-names.ts'
import type { Beat, KnownNode, KnownPod, World } from '../../../shared/lifecycle/world.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { MonitorSession } from '../session.ts'
import { recordsIn, type StoredState } from '../stored-state/stored-state.ts'

type Seen = Pick<World, 'visibility' | 'refusals'>

interface TickInputs extends Seen {
  readonly beats: ReadonlyMap<string, Beat>
  /** Stored records that could not be read and were left out. */
  readonly poisoned: number
}

/** All in parallel: none rests on another. */
export async function readInputs(session: MonitorSession, nowMs: number): Promise<TickInputs> {
  const [beats, refused, nodes, pods] = await Promise.all([
    readBeats(session.deps.store),
    readRefusedBeats(session),
    session.nodes.refresh(nowMs),
    session.pods.refresh(nowMs),
    sendCanaryBeat(session, nowMs),
  ])
  session.beatingNodes = countBeating(beats, nowMs)
  const seen = judgeSignals(session, { refused, beatingNodes: session.beatingNodes }, nowMs)
  return { beats, ...seen, poisoned: nodes.poisoned + pods.poisoned }
}

async function readBeats(store: Store): Promise<ReadonlyMap<string, Beat>> {
  const beats = new Map<string, Beat>()
  for await (const page of store.leases.beats()) for (const beat of page) beats.set(beat.name, beat)
  return beats
}

export function assembleWorld(
  session: MonitorSession,
  { beats, visibility, refusals }: TickInputs,
  state: StoredState,
  nowMs: number,
): World {
  return {
    nodes: nodesByName(session),
    beats,
    podsByNode: session.podsByNode.byNode,
    boundPods: boundPods(session),
    visibility,
    ...(refusals && { refusals }),
    ...recordsIn(state, session.deps.settings, nowMs),
    ...(session.knownNodes && { knownNodes: session.knownNodes }),
  }
}

/** As they are now: one that changed since it was bound would only be outrun. */
function boundPods({ pods, podsByNode }: MonitorSession): readonly KnownPod[] {
  return podsByNode.bound().flatMap(({ key, uid }) => {
    const pod = pods.objects.get(keyText(key))
    return pod?.uid === uid ? [pod as KnownPod] : []
  })
}

/** The cache goes by `namespace/name`; nodes have no namespace. */
function nodesByName({ nodes }: MonitorSession): ReadonlyMap<string, KnownNode> {
  const named = new Map<string, KnownNode>()
  for (const node of nodes.objects.values()) named.set(node.key.name, node as KnownNode)
  return named
}

/** What speaks against the monitor's own view, as far as it is read for a tick. */
interface Signals {
  readonly refused: readonly RefusedBeats[]
  readonly beatingNodes: number
}

/**
 * Can the monitor trust what it sees, and whose silence is our own doing? By the canary's renewal, what
 * the api says that it refused, and the clock.
 */
function judgeSignals(session: MonitorSession, signals: Signals, nowMs: number): Seen {
  const { deps, nodes } = session
  const uidOf = (name: string) => nodes.objects.get(`/${name}`)?.uid
  const refusals = latestRefusals(signals.refused, uidOf, nowMs)
  const failing = session.canaryFailingSinceMs
  const downtime = signals.refused.find((record) => record.downtime)?.downtime
  const healthSignals = {
    skewMs: deps.store.skewMs(),
    refusedAtMs: refusals.values(),
    beatingNodes: signals.beatingNodes,
    ...(downtime && { downtime }),
    ...(failing !== undefined && { canaryFailingSinceMs: failing }),
  }
  const graceMs = deps.settings.nodeMonitorGracePeriodMs
  return { refusals, visibility: judgeVisibility(healthSignals, graceMs, nowMs) }
}

/** Between ticks: the canary's last result, what the api says now. */
export async function rereadVisibility(session: MonitorSession, nowMs: number): Promise<Seen> {
  const refused = await readRefusedBeats(session)
  return judgeSignals(session, { refused, beatingNodes: session.beatingNodes }, nowMs)
}

/** One small query; in calm times it finds nothing. */
async function readRefusedBeats({ deps }: MonitorSession): Promise<readonly RefusedBeats[]> {
  const records = await deps.store.records.list<RefusedBeats>(REFUSED_BEATS_PREFIX)
  return records.map(({ value }) => value)
}

function countBeating(beats: ReadonlyMap<string, Beat>, nowMs: number): number {
  let count = 0
  for (const { receivedAtMs = 0 } of beats.values()) if (receivedAtMs >= nowMs - BEATING_MS) count++
  return count
}

async function sendCanaryBeat(session: MonitorSession, nowMs: number): Promise<void> {
  const { canary, log } = session.deps
  if (!canary) return
  try {
    await canary(nowMs)
    session.canaryOkAtMs = nowMs
    session.canaryFailingSinceMs = undefined
  } catch (error) {
    if (session.canaryFailingSinceMs === undefined) {
      log({ level: 'warn', message: 'a beat of our own did not get through: we are blind', error })
    }
    // Since the last one that did, the beats of any host may have been lost.
    session.canaryFailingSinceMs ??= session.canaryOkAtMs ?? nowMs
  }
}
