import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, PODS, pod, type World, world } from '../world.ts'

const names = (body: { items: { metadata: { name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name)

async function fleet(size: number, place = world()): Promise<World> {
  for (let at = 0; at < size; at++) {
    const name = `node-${String(at).padStart(4, '0')}`
    const body = { ...node(name), metadata: { name, labels: { even: String(at % 2 === 0) } } }
    await place.call('POST', NODES, { body })
  }
  return place
}

describe('a list', () => {
  it('is in order of name, has a version, and its items leave out their kind', async () => {
    const place = await fleet(3)
    const { body, status } = await place.call('GET', NODES)
    expect(status).toBe(200)
    expect(body.kind).toBe('NodeList')
    expect(names(body)).toEqual(['node-0000', 'node-0001', 'node-0002'])
    expect(body.metadata.resourceVersion).toBe(String(place.clock() * 1000))
    expect(body.items[0].kind).toBeUndefined()
  })

  it('of nothing is an empty array', async () => {
    const { body } = await world().call('GET', '/api/v1/pods')
    expect(body.items).toEqual([])
  })

  it.each([
    { when: 'of nodes', path: NODES, total: 7, limit: 3 },
    { when: 'of nodes, evenly', path: NODES, total: 6, limit: 3 },
    { when: 'of leases', path: LEASES, total: 7, limit: 3 },
  ])('$when in pages shows every object once, in order', async ({ path, total, limit }) => {
    const place = path === NODES ? await fleet(total) : world()
    if (path === LEASES) {
      for (let at = 0; at < total; at++) {
        await place.call('POST', LEASES, { body: lease(`node-000${at}`, {}) })
      }
    }
    const seen: string[] = []
    const versions = new Set<string>()
    let next: string | undefined = ''
    while (next !== undefined) {
      const { body } = await place.call('GET', `${path}?limit=${limit}&continue=${next}`)
      place.advance(10)
      seen.push(...names(body))
      versions.add(body.metadata.resourceVersion)
      next = body.metadata.continue
    }
    expect(seen).toEqual([...new Set(seen)].sort())
    expect(seen).toHaveLength(total)
    // A watch from any page misses nothing that happened since the first.
    expect(versions.size).toBe(1)
  })

  it('in pages goes on after a key that was deleted meanwhile', async () => {
    const place = await fleet(4)
    const { body } = await place.call('GET', `${NODES}?limit=2`)
    await place.call('DELETE', `${NODES}/node-0001`)
    const rest = await place.call('GET', `${NODES}?limit=2&continue=${body.metadata.continue}`)
    expect(names(rest.body)).toEqual(['node-0002', 'node-0003'])
  })

  it('with a selector and a limit passes over what does not match', async () => {
    const place = await fleet(7)
    const first = await place.call('GET', `${NODES}?labelSelector=even%3Dtrue&limit=3`)
    expect(names(first.body)).toEqual(['node-0000', 'node-0002', 'node-0004'])
    const token = first.body.metadata.continue
    const second = await place.call(
      'GET',
      `${NODES}?labelSelector=even%3Dtrue&limit=3&continue=${token}`,
    )
    expect(names(second.body)).toEqual(['node-0006'])
    expect(second.body.metadata.continue).toBeUndefined()
    expect(first.body.metadata.remainingItemCount).toBeUndefined()
  })

  it.each([
    { when: 'one name', query: 'fieldSelector=metadata.name%3Dnode-0001', found: ['node-0001'] },
    { when: 'another name', query: 'fieldSelector=metadata.name%3Dnope', found: [] },
    {
      when: 'all but one',
      query: 'fieldSelector=metadata.name!%3Dnode-0001',
      found: ['node-0000', 'node-0002'],
    },
    { when: 'labels', query: 'labelSelector=even', found: ['node-0000', 'node-0001', 'node-0002'] },
    { when: 'no labels', query: 'labelSelector=!even', found: [] },
    {
      when: 'a name and a label',
      query: 'labelSelector=even%3Dtrue&fieldSelector=metadata.name%3Dnode-0001',
      found: [],
    },
  ])('selects $when', async ({ query, found }) => {
    const place = await fleet(3)
    expect(names((await place.call('GET', `${NODES}?${query}`)).body)).toEqual(found)
  })

  it('of pods can be narrowed to a host', async () => {
    const place = world()
    await place.call('POST', PODS, { body: pod('one', { nodeName: 'a' }) })
    await place.call('POST', PODS, { body: pod('two', { nodeName: 'b' }) })
    await place.call('POST', PODS, { body: pod('three', { nodeName: 'a' }) })
    const selector = encodeURIComponent('spec.nodeName=a,status.phase!=Failed')
    const { body } = await place.call('GET', `/api/v1/pods?fieldSelector=${selector}&limit=500`)
    expect(names(body)).toEqual(['one', 'three'])
  })

  it('in a namespace that is not there is empty', async () => {
    const { status, body } = await world().call('GET', '/api/v1/namespaces/nowhere/pods')
    expect([status, body.items]).toEqual([200, []])
  })

  it('says how many leases are left, but not under a selector', async () => {
    const place = world()
    for (const name of ['a', 'b', 'c']) await place.call('POST', LEASES, { body: lease(name, {}) })
    const plain = await place.call('GET', `${LEASES}?limit=1`)
    expect(plain.body.metadata.remainingItemCount).toBe(2)
    const picky = await place.call('GET', `${LEASES}?limit=1&labelSelector=!x`)
    expect(picky.body.metadata.remainingItemCount).toBeUndefined()
  })

  it('longer than a page is streamed, whole and well-formed', async () => {
    const place = await fleet(1_203)
    const { body } = await place.call('GET', NODES)
    expect(body.items).toHaveLength(1_203)
    const table = await place.call('GET', NODES, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    expect(table.body.rows).toHaveLength(1_203)
  })

  it('that breaks off in the middle errors the stream instead of ending it', async () => {
    const place = await fleet(600)
    const { store } = place
    let pages = 0
    const broken = world({
      store: {
        ...store,
        objects: {
          ...store.objects,
          list: async (resource, page) => {
            if (++pages > 1) throw new Error('gone')
            return await store.objects.list(resource, page)
          },
        },
      },
    })
    await expect(broken.call('GET', NODES)).rejects.toThrow('gone')
  })

  it('that does not fit behind a buffering ingress is 413 and names limit', async () => {
    const place = await fleet(20, world({ settings: { responseLimitBytes: 4_000 } }))
    const whole = await place.call('GET', NODES)
    expect(whole.status).toBe(413)
    expect(whole.body.message).toContain('limit=')
    expect((await place.call('GET', `${NODES}?limit=20`)).status).toBe(413)
    expect((await place.call('GET', `${NODES}?limit=2`)).status).toBe(200)
  })

  it('fits only as the text within JSON that such an ingress makes of it', async () => {
    const { body } = await (await fleet(20)).call('GET', NODES)
    const bytes = Buffer.byteLength(JSON.stringify(body))
    const statusWith = async (responseLimitBytes: number) => {
      const place = await fleet(20, world({ settings: { responseLimitBytes } }))
      return (await place.call('GET', NODES)).status
    }
    expect(await statusWith(bytes + 100)).toBe(413)
    expect(await statusWith(2 * bytes)).toBe(200)
  })
})

describe('the freshness of a list', () => {
  const future = String((Date.parse('2027-01-01') + 0) * 1000)
  it.each([
    { when: 'any version is fine', query: 'resourceVersion=0', status: 200 },
    { when: 'an old version is a floor', query: 'resourceVersion=5', status: 200 },
    {
      when: 'a version from the future cannot be had',
      query: `resourceVersion=${future}`,
      status: 504,
    },
    { when: 'a version is no number', query: 'resourceVersion=abc', status: 400 },
    {
      when: 'a version is to be matched exactly',
      query: 'resourceVersion=5&resourceVersionMatch=Exact',
      status: 410,
    },
    {
      when: 'a version is a floor by name',
      query: 'resourceVersion=5&resourceVersionMatch=NotOlderThan',
      status: 200,
    },
    { when: 'a match has no version', query: 'resourceVersionMatch=NotOlderThan', status: 422 },
    {
      when: 'a match is unknown',
      query: 'resourceVersion=5&resourceVersionMatch=Roughly',
      status: 422,
    },
    {
      when: 'exactly zero is asked for',
      query: 'resourceVersion=0&resourceVersionMatch=Exact',
      status: 422,
    },
    { when: 'initial events are asked of a list', query: 'sendInitialEvents=true', status: 422 },
    { when: 'a continue token is garbage', query: 'continue=abc', status: 400 },
    { when: 'a limit is no number', query: 'limit=ten', status: 400 },
    { when: 'a limit is negative', query: 'limit=-1', status: 400 },
    { when: 'a field is unknown', query: 'fieldSelector=foo%3Dbar', status: 400 },
    { when: 'a label selector is malformed', query: 'labelSelector=a%20in%20(', status: 400 },
    { when: 'a watch is not mounted', query: 'watch=True', status: 405 },
  ])('$when: $status', async ({ query, status }) => {
    const reply = await world().call('GET', `${NODES}?${query}`)
    expect(reply.status, reply.text).toBe(status)
    if (status !== 200) expect(reply.body.kind).toBe('Status')
  })

  it('hands a watch to whoever serves watches', async () => {
    const place = world({
      watch: ({ verb, resource }) => new Response(`${verb} ${resource.plural}`),
    })
    expect((await place.call('GET', `${NODES}?watch=1`)).text).toBe('watch nodes')
    expect((await place.call('GET', `${NODES}?watch=false`)).body.kind).toBe('NodeList')
  })
})
