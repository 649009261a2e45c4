/**
 * `leasehold restored`: after the tables were restored from a backup they remember an earlier time.
 * Watches from after it must list again, and nobody may be condemned for beats that the restore
 * forgot.
 */
import { FLOOR_RECORD, type VersionFloor } from '../../functions/api/watch/floor.ts'
import { fleetKey, recordOf } from '../../functions/monitor/fleet-object.ts'
import { type Fleet, fleets } from '../../shared/kube/resources/fleets.ts'
import type { Step, Store } from '../../shared/store/ports.ts'
import type { Command } from './command.ts'
import { installHelp, installOptions, readSettings } from './settings.ts'

/** The monitor writes the fleet too, now and then. */
const ATTEMPTS = 5

export const restored: Command = {
  words: ['restored'],
  summary: 'tell the service that its tables were restored from a backup',
  help: `${installHelp}

Raises the version floor, so that every watch from before is told to list again, and starts every
clock afresh: each node has its whole grace period from now on. Run it before hosts connect again;
running it twice does no harm.`,
  options: installOptions,
  async run(values, world) {
    const store = await world.open(readSettings(values, world.env)).store()
    await markRestored(store, world.nowMs())
    world.tell('done: watches from before list again, and every clock starts now')
  },
}

export async function markRestored(store: Store, nowMs: number): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { kind } = await store.commit(await stepsFor(store, nowMs))
    if (kind === 'committed') return
  }
  throw new Error('the fleet is being written all the time: stop the monitor and run this again')
}

async function stepsFor(store: Store, nowMs: number): Promise<readonly Step[]> {
  const floor = await store.records.get<VersionFloor>(FLOOR_RECORD)
  const fleet = await store.objects.get(fleets.plural, fleetKey)
  const version = Math.max(nowMs * 1000, floor?.value.version ?? 0)
  const steps: Step[] = [
    { do: 'putRecord', name: FLOOR_RECORD, value: { version }, believed: floor?.version },
  ]
  const record = fleet && recordOf(fleet)
  if (!fleet || !record) return steps
  const { status, ...rest } = fleet.object as Fleet
  const object = { ...rest, status: { ...status, record: { ...record, floorMs: nowMs } } }
  return [...steps, { do: 'replaceObject', believed: fleet, object, fields: fleet.fields }]
}
