/**
 * While this process was not running nobody could beat, and that is not the hosts' fault. So a start
 * on old data says of the time between what the api says of itself when it has to refuse a beat.
 */
import {
  DISTRESS_RECORD,
  type Distress,
  monitorLeaseKey,
} from '../shared/lifecycle/meeting-points.ts'
import type { Store } from '../shared/store/ports.ts'

export async function noteDowntime(store: Store, nowMs: number): Promise<void> {
  // The monitor renewed it after every tick, so it tells when we were last alive.
  const aliveAtMs = (await store.leases.get(monitorLeaseKey))?.receivedAtMs
  if (aliveAtMs === undefined) return
  const stored = await store.records.get<Distress>(DISTRESS_RECORD)
  const value: Distress = { firstAtMs: aliveAtMs, lastAtMs: nowMs }
  // Outrun: another process on the same tables is alive and speaks for itself.
  await store.commit([{ do: 'putRecord', name: DISTRESS_RECORD, value, believed: stored?.version }])
}
