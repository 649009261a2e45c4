/** Everything a decision may rest on, read for one tick. */
import type { Signs } from '../../../shared/lifecycle/blindness.ts'
import type { Beat, KnownNode, KnownPod, World } from '../../../shared/lifecycle/world.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { Books } from '../apply/books.ts'
import type { Session } from '../session.ts'
import { fleetIn, recordedAs, zoneIn } from './records.ts'
import { readSigns } from './signs.ts'

export interface Look {
  readonly beats: ReadonlyMap<string, Beat>
  readonly signs: Signs
  /** Records that could not be read and were left out. */
  readonly poisoned: number
}

/** All at the same time: none of them waits for another. */
export async function look(session: Session, nowMs: number): Promise<Look> {
  const [beats, signs, nodes, pods] = await Promise.all([
    readBeats(session.deps.store),
    readSigns(session, nowMs),
    session.nodes.refresh(nowMs),
    session.pods.refresh(nowMs),
  ])
  return { beats, signs, poisoned: nodes.poisoned + pods.poisoned }
}

async function readBeats(store: Store): Promise<ReadonlyMap<string, Beat>> {
  const beats = new Map<string, Beat>()
  for await (const page of store.leases.beats()) for (const beat of page) beats.set(beat.name, beat)
  return beats
}

export function worldOf(
  session: Session,
  { beats, signs }: Look,
  books: Books,
  nowMs: number,
): World {
  return {
    nodes: nodesByName(session),
    beats,
    podsByNode: session.podsByNode.byNode,
    boundPods: boundPods(session),
    signs,
    ...recordsIn(session, books, nowMs),
    ...(session.greeted && { greeted: session.greeted }),
  }
}

export function recordsIn({ deps }: Session, books: Books, nowMs: number) {
  const zones = [...books.zones].map(
    ([key, stored]) => [key, recordedAs(stored, zoneIn(stored, deps.settings, nowMs))] as const,
  )
  const fleet = books.fleet && recordedAs(books.fleet, fleetIn(books.fleet))
  return { zones: new Map(zones), ...(fleet && { fleet }) }
}

/** As they are now: one that changed since it was bound would only be outrun. */
function boundPods({ pods, podsByNode }: Session): readonly KnownPod[] {
  return podsByNode.bound().flatMap(({ key, uid }) => {
    const pod = pods.objects.get(keyText(key))
    return pod?.uid === uid ? [pod as KnownPod] : []
  })
}

/** The cache goes by `namespace/name`; nodes have no namespace. */
function nodesByName({ nodes }: Session): ReadonlyMap<string, KnownNode> {
  const named = new Map<string, KnownNode>()
  for (const node of nodes.objects.values()) named.set(node.key.name, node as KnownNode)
  return named
}
