/**
 * The index is sometimes far later than it usually is; a full list every ten minutes finds what
 * that hid.
 */
import { expect, it } from 'vitest'
import { resourceNamed } from '../../../builders/stored-object.ts'
import { shown, thing, watchWorld } from './watch-world.ts'

const NODES = '/api/v1/nodes?watch=true'
const TEN_MINUTES_MS = 600_000
const node = (name: string) => ({ namespace: '', name })

it('repairs what the polls never saw: changes, creations and deletions', async () => {
  let lagMs = 0
  const w = watchWorld({ indexLagMs: () => lagMs })
  for (const name of ['changed', 'gone', 'kept']) await w.put('nodes', thing('nodes', name))
  const watch = await w.watch(NODES)
  await w.time.advance(60_000)
  watch.take()

  lagMs = 3_600_000
  const version = await w.put('nodes', thing('nodes', 'changed', { x: 'y' }))
  await w.put('nodes', thing('nodes', 'new'))
  await w.drop('nodes', node('gone'))
  await w.time.advance(120_000)
  expect(watch.take()).toEqual([])
  await w.time.advance(TEN_MINUTES_MS)
  const frames = watch.take()
  expect(shown(frames).toSorted()).toEqual(['ADDED new', 'DELETED gone', 'MODIFIED changed'])
  const changed = frames.find(({ object }) => object.metadata.name === 'changed')
  expect(changed!.object.metadata.resourceVersion).toBe(String(version))

  await w.time.advance(TEN_MINUTES_MS)
  expect(watch.take()).toEqual([])
})

it('says nothing when nothing was missed', async () => {
  const w = watchWorld({ indexLagMs: () => 2_000 })
  await w.put('nodes', thing('nodes', 'a'))
  const watch = await w.watch(NODES)
  for (let minute = 0; minute < 25; minute += 1) {
    await w.put('nodes', thing('nodes', 'a', { minute: String(minute) }))
    await w.time.advance(60_000)
    expect(shown(watch.take()).at(-1)).toMatch(/ a$/)
  }
  await w.time.advance(TEN_MINUTES_MS)
  expect(watch.take()).toEqual([])
})

it('notices events that lapsed, for which there is no tombstone', async () => {
  const w = watchWorld({ settings: { minTimeoutMs: 3 * 3_600_000 } })
  const object = thing('events', 'old')
  const { selectable } = resourceNamed('events')
  const expiresAtMs = w.time.now() + 3_600_000
  const fields = selectable(object)
  await w.store.commit([{ do: 'createObject', resource: 'events', object, fields, expiresAtMs }])
  const watch = await w.watch('/api/v1/events?watch=true')
  expect(shown(watch.take())).toEqual(['ADDED old'])
  await w.time.advance(3_600_000 + TEN_MINUTES_MS)
  expect(shown(watch.take())).toEqual(['DELETED old'])
})
