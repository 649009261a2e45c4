/** Everything a decision may rest on, read for one tick. */
import { judgeVisibility, type Visibility } from '../../../shared/lifecycle/liveness/visibility.ts'
import { API_FAILURES_RECORD, type ApiFailures } from '../../../shared/lifecycle/record-names.ts'
import type { Beat, KnownNode, KnownPod, World } from '../../../shared/lifecycle/world.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { MonitorSession } from '../session.ts'
import { recordsIn, type StoredState } from '../stored-state/stored-state.ts'

interface TickInputs {
  readonly beats: ReadonlyMap<string, Beat>
  readonly visibility: Visibility
  /** Stored records that could not be read and were left out. */
  readonly poisoned: number
}

/** All in parallel: none rests on another. */
export async function readInputs(session: MonitorSession, nowMs: number): Promise<TickInputs> {
  const [beats, visibility, nodes, pods] = await Promise.all([
    readBeats(session.deps.store),
    readVisibility(session, nowMs),
    session.nodes.refresh(nowMs),
    session.pods.refresh(nowMs),
  ])
  return { beats, visibility, poisoned: nodes.poisoned + pods.poisoned }
}

async function readBeats(store: Store): Promise<ReadonlyMap<string, Beat>> {
  const beats = new Map<string, Beat>()
  for await (const page of store.leases.beats()) for (const beat of page) beats.set(beat.name, beat)
  return beats
}

export function assembleWorld(
  session: MonitorSession,
  { beats, visibility }: TickInputs,
  state: StoredState,
  nowMs: number,
): World {
  return {
    nodes: nodesByName(session),
    beats,
    podsByNode: session.podsByNode.byNode,
    boundPods: boundPods(session),
    visibility,
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

/** Can the monitor trust what it sees? A canary's renewal, the api's own failures, and the clock. */
async function readVisibility(session: MonitorSession, nowMs: number): Promise<Visibility> {
  const [apiFailures] = await Promise.all([
    readApiFailures(session),
    sendCanaryBeat(session, nowMs),
  ])
  const failing = session.canaryFailingSinceMs
  session.healthSignals = {
    skewMs: session.deps.store.skewMs(),
    ...(apiFailures && { apiFailures }),
    ...(failing !== undefined && { canaryFailingSinceMs: failing }),
  }
  return visibilityOf(session, nowMs)
}

/** Between ticks: the canary's last result, the api's newest. */
export async function rereadVisibility(
  session: MonitorSession,
  nowMs: number,
): Promise<Visibility> {
  const apiFailures = await readApiFailures(session)
  const skewMs = session.deps.store.skewMs()
  session.healthSignals = { ...session.healthSignals, skewMs, ...(apiFailures && { apiFailures }) }
  return visibilityOf(session, nowMs)
}

const visibilityOf = ({ healthSignals, deps }: MonitorSession, nowMs: number) =>
  judgeVisibility(healthSignals, deps.settings.nodeMonitorGracePeriodMs, nowMs)

async function readApiFailures({ deps }: MonitorSession): Promise<ApiFailures | undefined> {
  return (await deps.store.records.get<ApiFailures>(API_FAILURES_RECORD))?.value
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
