/** What AWS refuses is never sent: the api says no first, in words of its own. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import type { Store } from '../../shared/store/ports.ts'
import { LOCKS, lease, NODES, node, PODS, pod, type World, world } from '../functions/api/world.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'
import { limitsProxy } from './limits-proxy.ts'

const KB = 1024
const text = (bytes: number) => 'x'.repeat(bytes)
const entries = (bytes: number) =>
  Object.fromEntries(Array.from({ length: bytes / 64 }, (_, at) => [`k${at}`, text(60)]))

let engine: Engine
let proxy: Awaited<ReturnType<typeof limitsProxy>>
let client: DynamoDBClient
let store: Store
let place: World

beforeAll(async () => {
  engine = await startEngine()
  proxy = await limitsProxy(engine.endpoint)
  client = clientFor(proxy.endpoint)
})
afterAll(async () => {
  client.destroy()
  await proxy.close()
  await engine.stop()
})
beforeEach(async () => {
  proxy.refused.length = 0
  const rig = await dynamoRig(client)
  store = rig.store
  place = world({ store, clock: rig.clock })
})

describe('an item of 400 KB', () => {
  const labelled = (bytes: number) => ({ labels: entries(bytes) })
  it.each([
    { what: 'the largest annotations', metadata: { annotations: { a: text(250 * KB) } } },
    { what: 'more than fits', metadata: { annotations: { a: text(360 * KB) } } },
    { what: 'many labels', metadata: labelled(15 * KB) },
    { what: 'more labels than are indexed', metadata: labelled(40 * KB) },
    { what: 'labels of an item', metadata: labelled(390 * KB) },
    { what: 'finalizers', metadata: { finalizers: [`example.com/${text(300 * KB)}`] } },
    {
      what: 'owners',
      metadata: {
        ownerReferences: Array.from({ length: 2_000 }, (_, at) => ({
          apiVersion: 'v1',
          kind: 'Node',
          name: `n${at}`,
          uid: `u${at}${text(150)}`,
        })),
      },
    },
  ])('is never sent, whatever has $what', async ({ metadata }) => {
    const bodies = [
      [NODES, node('big', { metadata: { name: 'big', ...metadata } })],
      [PODS, pod('big', { nodeName: 'big' }, metadata)],
      [LOCKS, lease('big', { holderIdentity: 'a', leaseDurationSeconds: 5 }, metadata)],
    ] as const
    for (const [path, body] of bodies) {
      const made = await place.call('POST', path, { body })
      expect([201, 413, 422], `${path}: ${made.text.slice(0, 200)}`).toContain(made.status)
      if (made.status !== 201) continue
      // As much again: what is stored of the state before must fit beside it.
      const labels = { other: 'x' }
      const changed = await place.call('PATCH', `${path}/big`, { body: { metadata: { labels } } })
      expect([200, 413, 422], `${path}: ${changed.text.slice(0, 200)}`).toContain(changed.status)
      expect((await place.call('DELETE', `${path}/big`)).status).toBe(200)
    }
    expect(proxy.refused).toEqual([])
  })

  it.each([
    { what: 'labels', metadata: { labels: entries(450 * KB) }, status: 422 },
    { what: 'annotations', metadata: { annotations: { a: text(450 * KB) } }, status: 422 },
    { what: 'a holder', spec: { holderIdentity: text(900 * KB) }, status: 422 },
    { what: 'a uid', metadata: { uid: text(2_500 * KB) }, status: 409 },
    {
      what: 'owners',
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid: text(450 * KB) }],
      },
      status: 422,
    },
  ])('is not sent with a renewal that has $what of its size', async (row) => {
    const spec = {
      holderIdentity: 'a',
      leaseDurationSeconds: 5,
      renewTime: '2026-01-01T00:00:00.000000Z',
    }
    const made = await place.call('POST', LOCKS, { body: lease('l', spec) })
    const renewTime = '2026-01-01T00:00:01.000000Z'
    const change = { metadata: row.metadata ?? {}, spec: { ...spec, renewTime, ...row.spec } }
    const metadata = { ...made.body.metadata, ...row.metadata }
    const put = await place.call('PUT', `${LOCKS}/l`, {
      body: { ...made.body, ...change, metadata },
    })
    const patched = await place.call('PATCH', `${LOCKS}/l`, { body: change })
    const alone = await place.call('PATCH', `${LOCKS}/l`, { body: { spec: change.spec } })
    expect([put.status, patched.status]).toEqual([row.status, row.status])
    expect(alone.status).toBeLessThan(500)
    expect(proxy.refused).toEqual([])
  })

  it('is refused as such where one is sent after all', async () => {
    const value = text(420 * KB)
    await expect(store.commit([{ do: 'putRecord', name: 'x', value }])).rejects.toThrow()
    expect(proxy.refused).toEqual([expect.stringMatching(/too large$/)])
  })
})

it('a page that ends early is followed by the next, in every list', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `n${String(at).padStart(2, '0')}`)
  await place.call('POST', NODES, { body: node('host') })
  for (const name of names) {
    await place.call('POST', PODS, { body: pod(name, { nodeName: 'host' }) })
    await place.call('POST', LOCKS, { body: lease(name, { holderIdentity: 'a' }) })
  }
  const selector = '?fieldSelector=spec.nodeName%3Dhost'
  for (const path of [PODS, LOCKS, `${PODS}${selector}`, `/api/v1/pods${selector}`]) {
    const { items } = (await place.call('GET', path)).body
    expect(
      items.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
      path,
    ).toEqual(names)
  }
  const first = (await place.call('GET', `${PODS}?limit=50`)).body
  const token = encodeURIComponent(first.metadata.continue)
  const rest = (await place.call('GET', `${PODS}?limit=50&continue=${token}`)).body
  expect([first.items.length, rest.items.length]).toEqual([50, 10])
  expect(await store.objects.changes('pods', 0)).toHaveLength(60)
  expect(await store.objects.countPodsOn('host')).toBe(60)
})

describe('a transaction', () => {
  const steps = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      do: 'putRecord' as const,
      name: `r${at}`,
      value: {},
    }))

  it('of 100 items is sent, and of 101 is not', async () => {
    expect((await store.commit(steps(100))).kind).toBe('committed')
    await expect(store.commit(steps(101))).rejects.toThrow('at most 100')
    expect(proxy.refused).toEqual([])
  })
})
