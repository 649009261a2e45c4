/** Pods are assignments: created, bound, ended by their host. */
import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../../shared/kube/objects.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import type { WriteStep } from '../../../../shared/store/ports.ts'
import { LEASES, lease, NODES, node, PODS, pod, START_MS, type World, world } from '../world.ts'

const PATH = `${PODS}/p`
const inbox = async ({ store }: World) =>
  (await store.leases.get({ namespace: 'kube-node-lease', name: 'h' }))?.inbox

async function withHost(ready = 'True'): Promise<World> {
  const place = world()
  const conditions = [{ type: 'Ready', status: ready }]
  await place.call('POST', NODES, { body: { ...node('h'), status: { conditions } } })
  await place.call('POST', LEASES, { body: lease('h', { holderIdentity: 'h' }) })
  return place
}

/** What is done to objects, and why a pod leaves: the pairs of before and after are the bus's news. */
function recordingStore() {
  const inner = memoryStore({ clock: () => START_MS })
  const written: string[] = []
  const commit = (steps: readonly WriteStep[]) => {
    for (const step of steps.filter((step) => step.do.endsWith('Object'))) {
      const why = 'object' in step && (step.object as Pod).status?.conditions?.[0]?.reason
      written.push(why ? `${step.do} ${why}` : step.do)
    }
    return inner.commit(steps)
  }
  return { store: { ...inner, commit }, written }
}

const binding = { target: { kind: 'Node', name: 'h' } }
const bind = (place: World, body: object = binding) =>
  place.call('POST', `${PATH}/binding`, { body })

describe('binding', () => {
  it('puts a pod on a host, once, and rings at the host', async () => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p') })
    expect(await inbox(place)).toBe(0)
    const { status, body } = await bind(place)
    expect([status, body.status]).toEqual([201, 'Success'])
    expect(await inbox(place)).toBe(1)
    const bound = (await place.call('GET', PATH)).body
    expect(bound.spec.nodeName).toBe('h')
    expect(bound.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }])
    const twice = await bind(place, { target: { name: 'other' } })
    expect([twice.status, twice.body.reason]).toEqual([409, 'Conflict'])
    expect(twice.body.message).toContain('already assigned to node "h"')
  })

  it.each([
    { when: 'no node is named', body: { target: {} }, status: 422 },
    { when: 'something else is named', body: { target: { kind: 'Zone', name: 'z' } }, status: 422 },
    { when: 'another pod is meant', body: { ...binding, metadata: { uid: 'x' } }, status: 409 },
    { when: 'another name is given', body: { ...binding, metadata: { name: 'q' } }, status: 400 },
  ])('is $status when $when', async ({ body, status }) => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p') })
    expect((await bind(place, body)).status).toBe(status)
    expect((await place.call('GET', PATH)).body.spec.nodeName).toBeUndefined()
  })

  it('of a missing pod is 404', async () => {
    expect((await bind(await withHost())).status).toBe(404)
  })
})

describe('deleting a pod', () => {
  it('that is bound lets its host end it, and rings', async () => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    expect(await inbox(place)).toBe(1)
    const { body } = await place.call('DELETE', PATH)
    expect(body.metadata.deletionTimestamp).toBe('2026-01-02T03:04:35Z')
    expect(body.metadata.deletionGracePeriodSeconds).toBe(30)
    expect(await inbox(place)).toBe(2)
    const confirm = (uid: string) =>
      place.call('DELETE', PATH, { body: { gracePeriodSeconds: 0, preconditions: { uid } } })
    expect((await confirm('another')).status).toBe(409)
    const last = await confirm(body.metadata.uid)
    expect([last.status, last.body.kind]).toEqual([200, 'Pod'])
    expect((await place.call('GET', PATH)).status).toBe(404)
  })

  it('a second time may shorten its grace, never lengthen it', async () => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    await place.call('DELETE', PATH)
    place.advance(5_000)
    const longer = await place.call('DELETE', PATH, { body: { gracePeriodSeconds: 60 } })
    expect(longer.body.metadata.deletionTimestamp).toBe('2026-01-02T03:04:35Z')
    const shorter = await place.call('DELETE', PATH, { body: { gracePeriodSeconds: 10 } })
    expect(shorter.body.metadata.deletionTimestamp).toBe('2026-01-02T03:04:15Z')
  })

  it.each([
    { when: 'it is not bound', spec: {}, phase: undefined, body: {} },
    {
      when: 'it is forced',
      spec: { nodeName: 'h' },
      phase: undefined,
      body: { gracePeriodSeconds: 0 },
    },
    { when: 'it has ended', spec: { nodeName: 'h' }, phase: 'Succeeded', body: {} },
  ])('removes it at once when $when', async ({ spec, phase, body }) => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', spec) })
    if (phase) await place.call('PATCH', `${PATH}/status`, { body: { status: { phase } } })
    expect((await place.call('DELETE', PATH, { body })).status).toBe(200)
    expect((await place.call('GET', PATH)).status).toBe(404)
  })
})

describe('an eviction', () => {
  const eviction = (apiVersion = 'policy/v1', rest = {}) => ({
    body: { apiVersion, kind: 'Eviction', metadata: { name: 'p', namespace: 'default' }, ...rest },
  })

  it.each(['policy/v1', 'policy/v1beta1'])('in %s ends a pod gracefully', async (apiVersion) => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    const reply = await place.call('POST', `${PATH}/eviction`, eviction(apiVersion))
    expect([reply.status, reply.body.status]).toEqual([201, 'Success'])
    expect(reply.headers.get('warning')).toBeNull()
    const { metadata, status } = (await place.call('GET', PATH)).body
    expect(metadata).toMatchObject({ deletionTimestamp: '2026-01-02T03:04:35Z', generation: 2 })
    expect(status.conditions).toEqual([
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ])
  })

  const evict = (place: World, deleteOptions = {}) =>
    place.call('POST', `${PATH}/eviction`, eviction('policy/v1', { deleteOptions }))

  it('is told once, however often it is asked for', async () => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    await evict(place)
    const once = (await place.call('GET', PATH)).body
    expect((await evict(place)).status).toBe(201)
    expect((await place.call('GET', PATH)).body).toEqual(once)
  })

  it('of a pod that is already leaving says why, and leaves its time alone', async () => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    const { metadata } = (await place.call('DELETE', PATH)).body
    place.advance(5_000)
    await evict(place)
    const leaving = (await place.call('GET', PATH)).body
    expect(leaving.metadata.deletionTimestamp).toBe(metadata.deletionTimestamp)
    expect(leaving.metadata.generation).toBe(2)
    expect(leaving.status.conditions).toMatchObject([{ reason: 'EvictionByEvictionAPI' }])
  })

  it.each([
    { when: 'no grace is given', options: { gracePeriodSeconds: 0 }, spec: { nodeName: 'h' } },
    { when: 'it is not bound', options: {}, spec: {} },
  ])('removes the pod at once when $when, and says so first', async ({ options, spec }) => {
    const { store, written } = recordingStore()
    const place = world({ store })
    await place.call('POST', PODS, { body: pod('p', spec) })
    written.length = 0
    expect((await evict(place, options)).status).toBe(201)
    expect((await place.call('GET', PATH)).status).toBe(404)
    expect(written).toEqual(['replaceObject EvictionByEvictionAPI', 'deleteObject'])
  })

  it('on a host that is Unknown warns that nobody can confirm', async () => {
    const place = await withHost('Unknown')
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    const reply = await place.call('POST', `${PATH}/eviction`, eviction())
    expect(reply.status).toBe(201)
    expect(reply.headers.get('warning')).toContain('node \\"h\\" is Unknown')
  })

  it.each([
    {
      when: 'another pod is named',
      call: eviction('policy/v1', { metadata: { name: 'q' } }),
      status: 400,
    },
    {
      when: 'another uid is meant',
      call: eviction('policy/v1', { deleteOptions: { preconditions: { uid: 'x' } } }),
      status: 409,
    },
    { when: 'it is of another group', call: eviction('apps/v1'), status: 400 },
    {
      when: 'it is a dry run',
      call: eviction('policy/v1', { deleteOptions: { dryRun: ['All'] } }),
      status: 201,
    },
  ])('leaves the pod alone when $when', async ({ call, status }) => {
    const place = await withHost()
    await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }) })
    expect((await place.call('POST', `${PATH}/eviction`, call)).status).toBe(status)
    expect((await place.call('GET', PATH)).body.metadata.deletionTimestamp).toBeUndefined()
  })
})

it('a pod with a finalizer outlives the confirmation of its host', async () => {
  const place = await withHost()
  await place.call('POST', PODS, { body: pod('p', { nodeName: 'h' }, { finalizers: ['x.dev/a'] }) })
  await place.call('DELETE', PATH)
  const held = await place.call('DELETE', PATH, { body: { gracePeriodSeconds: 0 } })
  expect(held.body.metadata.deletionGracePeriodSeconds).toBe(0)
  await place.call('PATCH', PATH, { body: { metadata: { finalizers: null } } })
  expect((await place.call('GET', PATH)).status).toBe(404)
})
