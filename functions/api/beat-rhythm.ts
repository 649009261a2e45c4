/**
 * How often should this host beat? Hosts with a grace of their own are in one small record, which
 * is re-read behind the beats' backs: no beat waits for it or pays for it.
 */
import { refreshed } from '../../shared/auth/refreshed.ts'
import { type BeatRhythm, RHYTHM_RECORD } from '../../shared/lifecycle/beat-rhythm.ts'
import { nodeLeaseNamespace } from '../../shared/store/lease-state.ts'
import type { Store, StoredLease } from '../../shared/store/ports.ts'

const FRESH_MS = 30_000

export interface RhythmDeps {
  readonly store: Pick<Store, 'records'>
  readonly clock: () => number
  readonly onTrouble: (what: string, error: unknown) => void
}

/** For `beatSeconds` of the api's dependencies. The first beats of a new process go without. */
export function createBeatRhythm({ store, clock, onTrouble }: RhythmDeps) {
  const rhythm = refreshed<BeatRhythm>({
    what: 'the rhythm of hosts',
    freshMs: FRESH_MS,
    load: async () => (await store.records.get<BeatRhythm>(RHYTHM_RECORD))?.value ?? {},
    onTrouble,
  })
  return ({ key }: StoredLease): number | undefined => {
    if (key.namespace !== nodeLeaseNamespace) return undefined
    // It has told onTrouble already; a beat is no place to complain again.
    rhythm.refresh(clock())?.catch(() => {})
    const known = rhythm.last()
    return known && Object.hasOwn(known, key.name) ? known[key.name] : undefined
  }
}
