/**
 * `leasehold restored`: run after the tables were restored from a backup, which holds an earlier
 * state. Clients must list and watch again, and no node may be marked Unknown for renewals that the
 * backup does not hold.
 */
import {
  OLDEST_VERSION_RECORD,
  type OldestVersionRecord,
} from '../../functions/api/watch/watch-options.ts'
import { fleetKey, fleetRecordOf } from '../../functions/monitor/stored-state/objects.ts'
import { type Fleet, fleets } from '../../shared/kube/fleet/resource.ts'
import type { Store, WriteStep } from '../../shared/store/ports.ts'
import type { Command } from './command.ts'
import { locateInstall } from './install-location.ts'

/** The monitor writes the fleet object too. */
const ATTEMPTS = 5

export const restored: Command = {
  words: ['restored'],
  summary: 'tell the service that its tables were restored from a backup',
  notes: `Raises the version floor, so that every watch from before is told to list again, and starts every
clock afresh: each node has its whole grace period from now on. Run it before hosts connect again;
running it twice does no harm.`,
  async run(values, context) {
    const store = await context.open(locateInstall(values, context.env)).store()
    await markRestored(store, context.nowMs())
    context.tell('done: watches from before list again, and every clock starts now')
  },
}

export async function markRestored(store: Store, nowMs: number): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { kind } = await store.commit(await stepsFor(store, nowMs))
    if (kind === 'committed') return
  }
  throw new Error('the fleet is being written all the time: stop the monitor and run this again')
}

async function stepsFor(store: Store, nowMs: number): Promise<readonly WriteStep[]> {
  const floor = await store.records.get<OldestVersionRecord>(OLDEST_VERSION_RECORD)
  const fleet = await store.objects.get(fleets.plural, fleetKey)
  const version = Math.max(nowMs * 1000, floor?.value.version ?? 0)
  const steps: WriteStep[] = [
    { do: 'putRecord', name: OLDEST_VERSION_RECORD, value: { version }, believed: floor?.version },
  ]
  const record = fleet && fleetRecordOf(fleet)
  if (!fleet || !record) return steps
  const { status, ...rest } = fleet.object as Fleet
  const object = { ...rest, status: { ...status, record: { ...record, floorMs: nowMs } } }
  return [...steps, { do: 'replaceObject', believed: fleet, object, fields: fleet.fields }]
}
