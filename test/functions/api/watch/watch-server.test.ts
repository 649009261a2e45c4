import { describe, expect, it } from 'vitest'
import { idle } from '../../../virtual-time.ts'
import { START_MS } from '../world.ts'
import { shown, thing, type WatchWorld, watchWorld } from './watch-world.ts'

const NODES = '/api/v1/nodes?watch=true'
const node = (name: string) => ({ namespace: '', name })
const listVersion = async (w: WatchWorld) =>
  (await w.call('GET', '/api/v1/nodes')).body.metadata.resourceVersion as string

describe('a watch without a version', () => {
  it.each(['', '&resourceVersion=0'])(
    'shows everything as ADDED, then what happens (%s)',
    async (from) => {
      const w = watchWorld()
      await w.put('nodes', thing('nodes', 'a'))
      await w.put('nodes', thing('nodes', 'b'))
      const watch = await w.watch(NODES + from)
      expect(watch.status).toBe(200)
      expect(watch.headers.get('content-type')).toBe('application/json')
      expect(shown(watch.take())).toEqual(['ADDED a', 'ADDED b'])

      await w.put('nodes', thing('nodes', 'c'))
      await w.put('nodes', thing('nodes', 'a', { x: 'y' }))
      const version = await w.drop('nodes', node('b'))
      await w.time.advance(1_000)
      const frames = watch.take()
      expect(shown(frames)).toEqual(['ADDED c', 'MODIFIED a', 'DELETED b'])
      expect(frames.at(-1)!.object.metadata.resourceVersion).toBe(String(version))
      expect(frames[0]!.object).toMatchObject({ kind: 'Node', apiVersion: 'v1' })
    },
  )

  it('says nothing twice', async () => {
    const w = watchWorld({ indexLagMs: () => 3_000 })
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(NODES)
    await w.time.advance(30_000)
    expect(shown(watch.take())).toEqual(['ADDED a'])
    await w.put('nodes', thing('nodes', 'a', { x: 'y' }))
    await w.time.advance(30_000)
    expect(shown(watch.take())).toEqual(['MODIFIED a'])
  })

  it('shows the last state of what is deleted, with the version of the deletion', async () => {
    const w = watchWorld()
    const watch = await w.watch(NODES)
    await w.put('nodes', {
      ...thing('nodes', 'a', { x: 'y' }),
      spec: { podCIDR: '10.0.0.0/24' },
    } as never)
    await w.time.advance(1_000)
    const version = await w.drop('nodes', node('a'))
    await w.time.advance(1_000)
    expect(watch.take().at(-1)).toMatchObject({
      type: 'DELETED',
      object: {
        kind: 'Node',
        metadata: { name: 'a', labels: { x: 'y' }, resourceVersion: String(version) },
        spec: { podCIDR: '10.0.0.0/24' },
      },
    })
  })

  it.each([
    { when: 'clocks agree', skewMs: 0 },
    { when: 'the clock of the second writer is behind', skewMs: -1_500 },
  ])('tells of a deletion and a re-creation between two polls ($when)', async ({ skewMs }) => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(NODES)
    await w.time.advance(20_000)
    watch.take()
    await w.drop('nodes', node('a'))
    await w.put('nodes', thing('nodes', 'a'), skewMs)
    await w.time.advance(1_000)
    expect(shown(watch.take())).toEqual(['DELETED a', 'ADDED a'])
  })
})

describe('a watch from a version', () => {
  it('shows what came after it, deletions too, and then what happens', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'old'))
    await w.put('nodes', thing('nodes', 'gone'))
    await w.time.advance(60_000)
    const version = await listVersion(w)
    await w.time.advance(60_000)
    await w.drop('nodes', node('gone'))
    await w.put('nodes', thing('nodes', 'new'))
    const watch = await w.watch(`${NODES}&resourceVersion=${version}`)
    expect(shown(watch.take())).toEqual(['DELETED gone', 'ADDED new'])
    await w.put('nodes', thing('nodes', 'old', { x: 'y' }))
    await w.time.advance(1_000)
    expect(shown(watch.take())).toEqual(['MODIFIED old'])
  })

  it.each([
    { when: 'older than the tombstones that are kept', atMs: START_MS - 31 * 60_000 },
    { when: 'from the future', atMs: START_MS + 60_000 },
  ])('ends with one ERROR frame when it is $when', async ({ atMs }) => {
    const w = watchWorld()
    const watch = await w.watch(`${NODES}&resourceVersion=${atMs * 1_000}`)
    await idle()
    expect(watch.status).toBe(200)
    expect(watch.take()).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          kind: 'Status',
          code: 410,
          reason: 'Expired',
          message: expect.stringMatching(`^too old resource version: ${atMs * 1_000} \\(\\d+\\)$`),
        }),
      },
    ])
    expect(watch.state()).toBe('ended')
    expect(w.time.pending()).toBe(0)
  })

  it.each<Record<string, string>>([
    { upgrade: 'websocket' },
    { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  ])('ends at once and empty for a client that asks for a websocket by %o', async (headers) => {
    const w = watchWorld()
    const watch = await w.watch(NODES, headers)
    await idle()
    expect([watch.status, watch.take(), watch.state()]).toEqual([200, [], 'ended'])
    expect(w.time.pending()).toBe(0)
  })

  it('ends with 410 when it is from before the floor that a restore has raised', async () => {
    const w = watchWorld()
    const version = (START_MS - 5_000) * 1_000
    const value = { version: START_MS * 1_000 }
    await w.store.commit([{ do: 'putRecord', name: 'floor', value }])
    const watch = await w.watch(`${NODES}&resourceVersion=${version}`)
    expect(shown(watch.take())).toEqual(['ERROR 410'])
  })

  it.each(['abc', '-1', '1.5'])('is 400 when it is %s', async (version) => {
    const { status } = await watchWorld().call('GET', `${NODES}&resourceVersion=${version}`)
    expect(status).toBe(400)
  })
})

describe('bookmarks', () => {
  it('come about once a minute and at the end, when asked for', async () => {
    const w = watchWorld()
    const watch = await w.watch(`${NODES}&allowWatchBookmarks=true&timeoutSeconds=150`)
    await w.time.advance(149_000)
    const frames = watch.take()
    expect(frames.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK'])
    expect(frames[0]!.object).toEqual({
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
    })
    await w.time.advance(1_000)
    expect(watch.take().map(({ type }) => type)).toEqual(['BOOKMARK'])
    expect(watch.state()).toBe('ended')
  })

  it('never come unasked', async () => {
    const w = watchWorld()
    const watch = await w.watch(`${NODES}&timeoutSeconds=300`)
    await w.time.advance(300_000)
    expect(watch.take()).toEqual([])
    expect(watch.state()).toBe('ended')
  })
})

describe('initial events on demand', () => {
  const LIST = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan'

  it('end with a bookmark that says so', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(`${NODES}${LIST}&allowWatchBookmarks=true`)
    const frames = watch.take()
    expect(frames.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK'])
    expect(frames[1]!.object.metadata).toEqual({
      resourceVersion: String(START_MS * 1_000),
      annotations: { 'k8s.io/initial-events-end': 'true' },
    })
    await w.put('nodes', thing('nodes', 'b'))
    await w.time.advance(1_000)
    expect(shown(watch.take())).toEqual(['ADDED b'])
  })

  it.each([
    { query: '&sendInitialEvents=true' },
    { query: '&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5' },
    { query: '&resourceVersionMatch=NotOlderThan&resourceVersion=5' },
  ])('are 422 in the wrong company: $query', async ({ query }) => {
    const { status, body } = await watchWorld().call('GET', NODES + query)
    expect(status).toBe(422)
    expect(body.reason).toBe('Invalid')
  })
})

describe('other shapes', () => {
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'

  it('tables define their columns in the first frame only', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(NODES, { accept: TABLE })
    await w.drop('nodes', node('a'))
    await w.time.advance(1_000)
    const [first, second] = watch.take()
    expect(first!.object).toMatchObject({
      kind: 'Table',
      rows: [
        {
          cells: [
            'a',
            'Unknown',
            '<none>',
            '<unknown>',
            '',
            '<none>',
            '<none>',
            '<unknown>',
            '<unknown>',
            '<unknown>',
          ],
        },
      ],
    })
    expect(first!.object.columnDefinitions[0].name).toBe('Name')
    expect(second).toMatchObject({ type: 'DELETED', object: { columnDefinitions: null } })
    expect(second!.object.rows[0].object.metadata.name).toBe('a')
  })

  it('metadata is cut out on demand', async () => {
    const w = watchWorld()
    await w.put('nodes', thing('nodes', 'a'))
    const watch = await w.watch(NODES, { accept: METADATA })
    expect(Object.keys(watch.take()[0]!.object)).toEqual(['kind', 'apiVersion', 'metadata'])
  })
})

describe('the end', () => {
  it('comes cleanly for every watch when the process shuts down', async () => {
    const w = watchWorld()
    const open = [await w.watch(NODES), await w.watch('/api/v1/pods?watch=true')]
    w.watches.close()
    await idle()
    expect(open.map((watch) => watch.state())).toEqual(['ended', 'ended'])
    expect(w.time.pending()).toBe(0)
  })

  it('comes by itself between half an hour and an hour', async () => {
    const w = watchWorld()
    const watch = await w.watch(NODES)
    await w.time.advance(44 * 60_000)
    expect(watch.state()).toBe('open')
    await w.time.advance(2 * 60_000)
    expect(watch.state()).toBe('ended')
  })

  it.each([
    { when: 'there is a longest life', settings: { maxTimeoutMs: 300_000 }, endMs: 300_000 },
    { when: 'the function has a deadline', deadlineMs: () => START_MS + 60_000, endMs: 55_000 },
  ])('comes in time when $when', async ({ endMs, ...options }) => {
    const w = watchWorld(options)
    const watch = await w.watch(`${NODES}&timeoutSeconds=3600`)
    await w.time.advance(endMs - 1)
    expect(watch.state()).toBe('open')
    await w.time.advance(1)
    expect(watch.state()).toBe('ended')
  })

  it('is a cut, not an end, when the table cannot be read for long', async () => {
    const down = new Error('down')
    const w = watchWorld({
      wrap: (store) => ({
        ...store,
        objects: { ...store.objects, changes: () => Promise.reject(down) },
      }),
    })
    const watch = await w.watch(NODES)
    await w.time.advance(20_000)
    expect(watch.state()).toBe('open')
    await w.time.advance(20_000)
    expect(watch.state()).toBe('broken')
    expect(w.time.pending()).toBe(0)
  })

  it('of the last watch stops the polling', async () => {
    const w = watchWorld()
    const [one, other] = [await w.watch(NODES), await w.watch(NODES)]
    await w.time.advance(5_000)
    await one.cut()
    await w.time.advance(5_000)
    expect(w.time.pending()).toBe(2)
    await other.cut()
    expect(w.time.pending()).toBe(0)
  })
})
