/** Every 20 s: pods nobody looks after, leases whose node is gone. */
import { decideGarbage, findSuspects } from '../../../shared/lifecycle/garbage.ts'
import type { Quarantine } from '../../../shared/lifecycle/pod-garbage.ts'
import type { World } from '../../../shared/lifecycle/world.ts'
import { apply } from '../apply/apply.ts'
import type { Applying } from '../apply/applying.ts'
import { nodeUids } from '../read/node-uids.ts'

export const GARBAGE_EVERY_MS = 20_000
const QUARANTINE_RECORD = 'quarantine'

export async function collectGarbage(applying: Applying, world: World): Promise<void> {
  const { store, settings } = applying.deps
  const stored = await store.records.get<Quarantine>(QUARANTINE_RECORD)
  const before = stored?.value ?? {}
  const { nowMs } = applying
  const suspects = findSuspects(world, before, nowMs)
  const { quarantine, names } = suspects
  const uids = await nodeUids(store, names)
  const read = new Map(names.map((name) => [name, uids.get(name)]))
  await apply(applying, decideGarbage({ world, suspects, read, nowMs, settings }))

  if (JSON.stringify(quarantine) === JSON.stringify(before)) return
  const believed = stored && { believed: stored.version }
  // Outrun: another monitor keeps it. What it quarantined a moment earlier or later is no matter.
  await store.commit([{ do: 'putRecord', name: QUARANTINE_RECORD, value: quarantine, ...believed }])
}
