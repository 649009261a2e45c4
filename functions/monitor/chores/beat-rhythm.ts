/**
 * Hosts with a grace of their own should beat in its rhythm. The api tells them in the answer to a
 * beat, from this small record, which it re-reads now and then: no beat pays for it.
 */

import {
  BEATS_A_GRACE,
  type BeatRhythm,
  RHYTHM_RECORD,
} from '../../../shared/lifecycle/beat-rhythm.ts'
import { GRACE_ANNOTATION, nodeGraceMs } from '../../../shared/lifecycle/settings.ts'
import type { KnownNode } from '../../../shared/lifecycle/world.ts'
import type { Session } from '../session.ts'

/** So many fit into a record with room to spare; the others beat as usual. */
const MOST_HOSTS = 5_000

export interface RhythmBook {
  /** As JSON; undefined until it was read once. */
  written: string | undefined
}

export async function writeRhythm(session: Session, book: RhythmBook): Promise<void> {
  const { store } = session.deps
  const rhythm = rhythmOf(session)
  const text = JSON.stringify(rhythm)
  if (book.written === text) return
  const stored = await store.records.get<BeatRhythm>(RHYTHM_RECORD)
  if (JSON.stringify(stored?.value ?? {}) !== text) {
    const believed = stored && { believed: stored.version }
    await store.commit([{ do: 'putRecord', name: RHYTHM_RECORD, value: rhythm, ...believed }])
  }
  book.written = text
}

function rhythmOf({ nodes, deps }: Session): BeatRhythm {
  const rhythm: Record<string, number> = {}
  let left = MOST_HOSTS
  for (const node of nodes.objects.values() as Iterable<KnownNode>) {
    if (!node.object.metadata.annotations?.[GRACE_ANNOTATION] || left-- <= 0) continue
    const graceMs = nodeGraceMs(node.object, deps.settings)
    rhythm[node.key.name] = Math.max(1, Math.floor(graceMs / BEATS_A_GRACE / 1_000))
  }
  return rhythm
}
