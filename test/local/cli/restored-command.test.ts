import { expect, it } from 'vitest'
import { oldestVersion } from '../../../functions/api/watch/watch-options.ts'
import {
  fleetKey,
  fleetRecordOf,
  newFleetObject,
  withFleetRecord,
} from '../../../functions/monitor/stored-state/objects.ts'
import { markRestored } from '../../../local/cli/restored-command.ts'
import { defaultSettings } from '../../../shared/lifecycle/settings.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'

const NOW_MS = Date.UTC(2026, 0, 1)

async function storeWithFleet() {
  const store = memoryStore({ clock: () => NOW_MS })
  const counts = { nodes: 1, ready: 1, notReady: 0, unknown: 0, missing: 0 }
  const record = {
    disruption: 'none',
    floorMs: 7,
    blind: [],
    stops: [],
    greetedThroughMs: 9,
  } as const
  const view = { counts, settings: defaultSettings, history: [] }
  const object = withFleetRecord(newFleetObject('uid', NOW_MS), record, view)
  await store.commit([{ do: 'createObject', resource: 'fleets', object, fields: {} }])
  return store
}

it('raises the version floor and starts every clock afresh, keeping the rest', async () => {
  const store = await storeWithFleet()
  await markRestored(store, NOW_MS)

  expect(await oldestVersion(store, NOW_MS)).toBe(NOW_MS * 1000)
  const fleet = await store.objects.get('fleets', fleetKey)
  expect(fleet && fleetRecordOf(fleet)).toMatchObject({ floorMs: NOW_MS, greetedThroughMs: 9 })
})

it('works before any monitor ran, and twice', async () => {
  const store = memoryStore({ clock: () => NOW_MS })
  await markRestored(store, NOW_MS)
  await markRestored(store, NOW_MS - 1000)
  expect(await oldestVersion(store, NOW_MS)).toBe(NOW_MS * 1000)
})
