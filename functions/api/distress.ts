/**
 * When the api has to refuse a beat for its own reasons it says so in one small record, so that the
 * monitor takes nobody's silence for death. It never holds up or fails the request it is about.
 */
import { DISTRESS_RECORD, type Distress } from '../../shared/lifecycle/meeting-points.ts'
import type { Store } from '../../shared/store/ports.ts'

/** One word in this time says as much as a thousand. */
const EVERY_MS = 5_000
/** Words further apart than this are two stories. */
const EPISODE_MS = 60_000

export interface DistressDeps {
  readonly store: Pick<Store, 'records' | 'commit'>
  readonly clock: () => number
  readonly onTrouble: (what: string, error: unknown) => void
}

/** For `onOwnFailure` of the api's dependencies. Answers with what is being said, if anything. */
export function createDistress(deps: DistressDeps): () => Promise<void> | undefined {
  const { store, clock, onTrouble } = deps
  let unsaid: Distress | undefined
  let triedAtMs = Number.NEGATIVE_INFINITY
  let saying: Promise<void> | undefined

  const say = async () => {
    const word = unsaid!
    const stored = await store.records.get<Distress>(DISTRESS_RECORD)
    const value = joined(stored?.value, word)
    const believed = stored && { believed: stored.version }
    const step = { do: 'putRecord' as const, name: DISTRESS_RECORD, value, ...believed }
    const { kind } = await store.commit([step])
    // Outrun by another process with the same news: our own word stays unsaid and is tried again.
    if (kind === 'committed' && unsaid === word) unsaid = undefined
  }

  return () => {
    const nowMs = clock()
    unsaid = { firstAtMs: unsaid?.firstAtMs ?? nowMs, lastAtMs: nowMs }
    if (saying || nowMs - triedAtMs < EVERY_MS) return saying
    triedAtMs = nowMs
    saying = say()
      .catch((error: unknown) => onTrouble('say that beats were refused', error))
      .finally(() => {
        saying = undefined
      })
    return saying
  }
}

function joined(before: Distress | undefined, word: Distress): Distress {
  if (!before || word.firstAtMs - before.lastAtMs > EPISODE_MS) return word
  return {
    firstAtMs: Math.min(before.firstAtMs, word.firstAtMs),
    lastAtMs: Math.max(before.lastAtMs, word.lastAtMs),
  }
}
