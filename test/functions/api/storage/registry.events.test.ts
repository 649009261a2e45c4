/** The same Events, written and read through both of their groups. */
import { describe, expect, it } from 'vitest'
import { watchWorld } from '../watch/watch-world.ts'
import { type World, world } from '../world.ts'

const CORE = '/api/v1/namespaces/default/events'
const V1 = '/apis/events.k8s.io/v1/namespaces/default/events'
const time = '2026-01-02T03:04:00.000000Z'

const coreEvent = {
  metadata: { name: 'old' },
  involvedObject: { kind: 'Node', name: 'n1' },
  reason: 'NodeNotReady',
  message: 'n1 is silent',
  source: { component: 'monitor', host: 'h' },
  firstTimestamp: '2026-01-02T03:00:00Z',
  lastTimestamp: '2026-01-02T03:03:00Z',
  count: 3,
  type: 'Warning',
}
const v1Event = {
  metadata: { name: 'new' },
  regarding: { kind: 'Node', name: 'n1' },
  eventTime: time,
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  action: 'Look',
  reason: 'Seen',
  note: 'n1 was seen',
  type: 'Normal',
}

async function withBoth(): Promise<World> {
  const place = world()
  expect((await place.call('POST', CORE, { body: coreEvent })).status).toBe(201)
  expect((await place.call('POST', V1, { body: v1Event })).status).toBe(201)
  return place
}

describe('an Event', () => {
  it('is readable through either group', async () => {
    const place = await withBoth()
    expect((await place.call('GET', `${V1}/old`)).body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      regarding: coreEvent.involvedObject,
      note: 'n1 is silent',
      deprecatedSource: coreEvent.source,
      deprecatedFirstTimestamp: coreEvent.firstTimestamp,
      deprecatedLastTimestamp: coreEvent.lastTimestamp,
      deprecatedCount: 3,
      eventTime: null,
    })
    expect((await place.call('GET', `${CORE}/new`)).body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: v1Event.regarding,
      message: 'n1 was seen',
      reportingComponent: 'example.com/c',
      eventTime: time,
    })
    for (const path of [CORE, V1]) {
      const { body } = await place.call('GET', path)
      expect(body.kind).toBe('EventList')
      expect(body.items).toHaveLength(2)
    }
    const tables = await Promise.all(
      [CORE, V1].map((path) =>
        place.call('GET', path, {
          headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        }),
      ),
    )
    expect(tables[0]!.body.rows).toEqual(tables[1]!.body.rows)
  })

  it('keeps its series and its version, whichever group writes it', async () => {
    const place = await withBoth()
    const series = { count: 2, lastObservedTime: time }
    const type = 'application/strategic-merge-patch+json'
    const patched = await place.call('PATCH', `${V1}/new`, { body: { series }, type })
    expect(patched.status).toBe(200)
    const core = await place.call('GET', `${CORE}/new`)
    expect(core.body.series).toEqual(series)
    expect(core.body.metadata).toEqual(patched.body.metadata)
    const more = { ...core.body, series: { ...series, count: 3 } }
    expect((await place.call('PUT', `${CORE}/new`, { body: more })).status).toBe(200)
    const shown = await place.call('GET', `${V1}/new`)
    expect(shown.body.series.count).toBe(3)
    const stale = { ...patched.body, series: { ...series, count: 4 } }
    expect((await place.call('PUT', `${V1}/new`, { body: stale })).status).toBe(409)
    expect((await place.call('PUT', `${V1}/new`, { body: shown.body })).body).toEqual(shown.body)
  })

  it('may be created by PUT and by apply, and is deleted for both', async () => {
    const place = world()
    const put = { ...v1Event, metadata: { name: 'put' } }
    expect((await place.call('PUT', `${V1}/put`, { body: put })).status).toBe(201)
    const type = 'application/apply-patch+yaml'
    const body = { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...v1Event }
    const path = `${V1}/new?fieldManager=x`
    expect((await place.call('PATCH', path, { body, type })).status).toBe(201)
    expect((await place.call('DELETE', `${V1}/put`)).body.details.group).toBe('events.k8s.io')
    expect((await place.call('GET', `${CORE}/put`)).status).toBe(404)
    expect((await place.call('DELETE', CORE)).status).toBe(200)
    expect((await place.call('GET', V1)).body.items).toEqual([])
  })

  it.each([
    { path: `${V1}?fieldSelector=reportingController%3Dexample.com/c`, names: ['new'] },
    { path: `${V1}?fieldSelector=regarding.name%3Dn1,type%3DWarning`, names: ['old'] },
    { path: `${V1}?fieldSelector=metadata.name%3Dold`, names: ['old'] },
    { path: `${CORE}?fieldSelector=source%3Dexample.com/c`, names: ['new'] },
    { path: `${CORE}?fieldSelector=involvedObject.name%3Dn1`, names: ['new', 'old'] },
    { path: '/apis/events.k8s.io/v1/events?fieldSelector=reason%3DSeen', names: ['new'] },
  ])('is found by $path', async ({ path, names }) => {
    const { items } = (await (await withBoth()).call('GET', path)).body
    expect(items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(names)
  })

  it.each([`${V1}?fieldSelector=involvedObject.name%3Dn1`, `${V1}?fieldSelector=source%3Dx`])(
    'has no field of the other group: %s',
    async (path) => {
      const { status, body } = await (await withBoth()).call('GET', path)
      expect([status, body.message]).toEqual([400, expect.stringContaining('not supported')])
    },
  )

  it.each([
    { when: 'the older style', body: { ...coreEvent, regarding: {} }, status: 422 },
    { when: 'the other kind', body: { ...v1Event, apiVersion: 'v1', kind: 'Event' }, status: 400 },
  ])('is refused in $when', async ({ body, status }) => {
    expect((await world().call('POST', V1, { body })).status).toBe(status)
  })

  it('is shown by a watch in the form of its group', async () => {
    const w = watchWorld()
    await w.call('POST', CORE, { body: coreEvent })
    const watch = await w.watch(`${V1}?watch=true&fieldSelector=regarding.name%3Dn1`)
    const core = await w.watch(`${CORE}?watch=true`)
    await w.call('POST', V1, { body: v1Event })
    await w.time.advance(1_000)
    await w.call('DELETE', `${CORE}/old`)
    await w.time.advance(1_000)
    const frames = watch.take()
    expect(frames.map(({ type, object }) => [type, object.apiVersion, object.note])).toEqual([
      ['ADDED', 'events.k8s.io/v1', 'n1 is silent'],
      ['ADDED', 'events.k8s.io/v1', 'n1 was seen'],
      ['DELETED', 'events.k8s.io/v1', 'n1 is silent'],
    ])
    expect(core.take().map(({ object }) => [object.apiVersion, object.message])).toEqual([
      ['v1', 'n1 is silent'],
      ['v1', 'n1 was seen'],
      ['v1', 'n1 is silent'],
    ])
  })
})
