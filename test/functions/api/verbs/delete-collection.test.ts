import { describe, expect, it } from 'vitest'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import {
  type Call,
  LEASES,
  LOCKS,
  lease,
  NODES,
  node,
  PODS,
  pod,
  START_MS,
  type World,
  world,
} from '../world.ts'

const EVENTS = '/api/v1/namespaces/default/events'

async function withPods(count: number, labels: object = { app: 'web' }): Promise<World> {
  const place = world()
  await addPods(place, count, labels)
  return place
}

async function addPods(place: World, count: number, labels: object, prefix = 'p'): Promise<void> {
  for (let at = 0; at < count; at++) {
    const body = pod(`${prefix}${String(at).padStart(5, '0')}`, {}, { labels })
    expect((await place.call('POST', PODS, { body })).status).toBe(201)
  }
}

const names = async (place: World, path: string): Promise<string[]> =>
  (await place.call('GET', path)).body.items.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  )

describe('the deletion of a collection', () => {
  it('takes what matches the selectors, and shows it as it was', async () => {
    const place = await withPods(3)
    await addPods(place, 2, { app: 'db' }, 'q')
    const { status, body } = await place.call('DELETE', `${PODS}?labelSelector=app%3Dweb`)
    expect([status, body.kind, body.apiVersion]).toEqual([200, 'PodList', 'v1'])
    expect(body.items.map((item: { metadata: object }) => item.metadata)).toMatchObject([
      { name: 'p00000' },
      { name: 'p00001' },
      { name: 'p00002' },
    ])
    expect(await names(place, PODS)).toEqual(['q00000', 'q00001'])
    await place.call('DELETE', `${PODS}?fieldSelector=metadata.name%3Dq00001`)
    expect(await names(place, PODS)).toEqual(['q00000'])
  })

  it('stays in its namespace', async () => {
    const place = await withPods(1)
    await place.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'shop' } } })
    await place.call('POST', '/api/v1/namespaces/shop/pods', { body: pod('other') })
    expect((await place.call('DELETE', PODS)).status).toBe(200)
    expect(await names(place, '/api/v1/pods')).toEqual(['other'])
  })

  it('of leases, events and nodes does what deleting each does', async () => {
    const place = world()
    await place.call('POST', NODES, { body: node('a') })
    const spec = { holderIdentity: 'a', renewTime: '2026-01-02T03:04:05.000000Z' }
    await place.call('POST', LEASES, { body: lease('a', spec) })
    await place.call('POST', LOCKS, { body: lease('leader', { ...spec, leaseTransitions: 7 }) })
    const event = { metadata: { name: 'e' }, involvedObject: { kind: 'Node', name: 'a' } }
    await place.call('POST', EVENTS, { body: event })

    for (const path of [EVENTS, LOCKS, NODES]) {
      expect((await place.call('DELETE', path)).status).toBe(200)
      expect(await names(place, path)).toEqual([])
    }
    // The Node took its Lease along, and the fencing token goes on where it was.
    expect((await place.call('GET', `${LEASES}/a`)).status).toBe(404)
    const again = await place.call('POST', LOCKS, { body: lease('leader', spec) })
    expect(again.body.spec.leaseTransitions).toBe(8)
  })

  it('marks pods that have to end first, once', async () => {
    const place = world()
    const spec = { nodeName: 'a', terminationGracePeriodSeconds: 60 }
    await place.call('POST', PODS, { body: pod('p', spec) })
    expect((await place.call('DELETE', PODS)).body.items).toHaveLength(1)
    const marked = await place.call('GET', `${PODS}/p`)
    expect(marked.body.metadata.deletionGracePeriodSeconds).toBe(60)
    expect((await place.call('DELETE', PODS)).body.items).toEqual([])
    expect((await place.call('GET', `${PODS}/p`)).body).toEqual(marked.body)
    const shorter = { body: { gracePeriodSeconds: 0 } }
    expect((await place.call('DELETE', PODS, shorter)).status).toBe(200)
    expect((await place.call('GET', `${PODS}/p`)).status).toBe(404)
  })

  const refused: readonly { when: string; query: string; call?: Call; status: number }[] = [
    { when: 'it is a dry run', query: 'dryRun=All', status: 200 },
    {
      when: 'the dry run is in the body',
      query: '',
      call: { body: { dryRun: ['All'] } },
      status: 200,
    },
    {
      when: 'a uid is no object of these',
      query: '',
      call: { body: { preconditions: { uid: 'x' } } },
      status: 409,
    },
    { when: 'the selector is malformed', query: 'labelSelector=%3D%3D', status: 400 },
    { when: 'the field is unknown', query: 'fieldSelector=spec.color%3Dred', status: 400 },
    { when: 'the policy is unknown', query: 'propagationPolicy=Sideways', status: 422 },
    { when: 'the limit is no number', query: 'limit=many', status: 400 },
    { when: 'the continue token is made up', query: 'continue=x', status: 400 },
    { when: 'a viewer asks', query: '', call: { as: 'viewer' }, status: 403 },
    { when: 'an operator asks', query: '', call: { as: 'operator' }, status: 403 },
    { when: 'a node asks', query: '', call: { as: 'node-a' }, status: 403 },
    {
      when: 'a node asks for its own pods',
      query: 'fieldSelector=spec.nodeName%3Dnode-a',
      call: { as: 'node-a' },
      status: 403,
    },
  ]
  it.each(refused)('removes nothing when $when', async ({ query, call, status }) => {
    const place = await withPods(2)
    expect((await place.call('DELETE', `${PODS}?${query}`, call)).status).toBe(status)
    expect(await names(place, PODS)).toHaveLength(2)
  })

  it('is not served for namespaces, nor across all of them', async () => {
    const place = world()
    for (const path of [
      '/api/v1/namespaces',
      '/api/v1/pods',
      '/apis/coordination.k8s.io/v1/leases',
    ]) {
      const { status, body } = await place.call('DELETE', path)
      expect([status, body.reason]).toEqual([405, 'MethodNotAllowed'])
    }
  })

  it('of a page ends after it, and its token goes on from there', async () => {
    const place = await withPods(5)
    const dry = await place.call('DELETE', `${PODS}?limit=2&dryRun=All`)
    const token = dry.body.metadata.continue
    const next = await place.call('DELETE', `${PODS}?limit=2&continue=${token}`)
    expect(next.body.items).toHaveLength(2)
    expect(await names(place, PODS)).toEqual(['p00000', 'p00001', 'p00004'])
    const rest = await place.call('DELETE', `${PODS}?limit=500`)
    expect(rest.body.metadata.continue).toBeUndefined()
    expect(await names(place, PODS)).toEqual([])
  })
})

describe('the deletion of a large collection', () => {
  it('is done in bounded requests, which a client repeats after 429', async () => {
    const place = await withPods(2_300)
    const first = await place.call('DELETE', PODS)
    expect([first.status, first.body.reason]).toEqual([429, 'TooManyRequests'])
    expect(first.headers.get('retry-after')).toBe('1')
    expect(await names(place, PODS)).toHaveLength(1_300)
    expect((await place.call('DELETE', PODS)).status).toBe(429)
    expect((await place.call('DELETE', PODS)).status).toBe(200)
    expect(await names(place, PODS)).toEqual([])
  })

  it('ends in time, and gets past what an earlier request has marked', async () => {
    let nowMs = START_MS
    const store = memoryStore({ clock: () => START_MS })
    const slow = {
      ...store,
      commit: (steps: Parameters<typeof store.commit>[0]) => {
        nowMs += 1_000
        return store.commit(steps)
      },
    }
    const place = world({ store: slow, clock: () => nowMs })
    for (let at = 0; at < 40; at++) {
      await place.call('POST', PODS, { body: pod(`p${at}`, { nodeName: 'a' }) })
    }
    expect((await place.call('DELETE', PODS)).status).toBe(429)
    expect((await place.call('DELETE', PODS)).status).toBe(429)
    expect((await place.call('DELETE', PODS)).status).toBe(200)
    const { items } = (await place.call('GET', PODS)).body
    expect(
      items.filter(
        (item: { metadata: { deletionTimestamp?: string } }) =>
          item.metadata.deletionTimestamp === undefined,
      ),
    ).toEqual([])
  })

  it('as a dry run shows a page and its token', async () => {
    const place = await withPods(1_001)
    const { status, body } = await place.call('DELETE', `${PODS}?dryRun=All`)
    expect([status, body.items.length]).toEqual([200, 1_000])
    expect(body.metadata.continue).toBeDefined()
  })

  it('is told as a Status where answers are buffered', async () => {
    const place = world({ settings: { responseLimitBytes: 1_000 } })
    await addPods(place, 20, {})
    const { status, body } = await place.call('DELETE', PODS)
    expect([status, body.kind, body.status]).toEqual([200, 'Status', 'Success'])
    expect(await names(place, `${PODS}?limit=1`)).toEqual([])
  })
})
