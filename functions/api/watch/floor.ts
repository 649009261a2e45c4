/** From which version on is the history complete? */
import type { Store } from '../../../shared/store/ports.ts'
import { HISTORY_MS, versionAt } from './timing.ts'

/**
 * The record that says from when on versions mean what they say; `leasehold restored` raises it.
 */
export const FLOOR_RECORD = 'floor'

export interface VersionFloor {
  readonly version: number
}

export async function oldestVersion(store: Store, nowMs: number): Promise<number> {
  const floor = await store.records.get<VersionFloor>(FLOOR_RECORD)
  return Math.max(versionAt(nowMs - HISTORY_MS), floor?.value.version ?? 0)
}
