import { describe, expect, it } from 'vitest'
import { NODES, node, type Reply, type World, world } from '../world.ts'

const PATH = `${NODES}/a`

async function withNode(): Promise<World & { readonly found: Reply['body'] }> {
  const place = world()
  const body = { ...node('a'), status: { conditions: [{ type: 'Ready', status: 'True' }] } }
  const { body: found } = await place.call('POST', NODES, { body })
  return { ...place, found }
}

describe('an update', () => {
  it('replaces what the client may change and keeps the rest', async () => {
    const { call, found } = await withNode()
    const { status, body } = await call('PUT', PATH, {
      body: { metadata: { name: 'a' }, spec: { unschedulable: true }, status: { phase: 'x' } },
    })
    expect(status).toBe(200)
    expect(body.spec.unschedulable).toBe(true)
    expect(body.status).toEqual(found.status)
    expect(body.metadata.uid).toBe(found.metadata.uid)
    expect(body.metadata.creationTimestamp).toBe(found.metadata.creationTimestamp)
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(
      Number(found.metadata.resourceVersion),
    )
  })

  it('that changes nothing keeps its version', async () => {
    const { call, found } = await withNode()
    const { body } = await call('PUT', PATH, { body: found })
    expect(body).toEqual(found)
  })

  it('of the status keeps the spec and takes labels', async () => {
    const { call, found } = await withNode()
    const { body } = await call('PUT', `${PATH}/status`, {
      body: {
        ...found,
        metadata: { ...found.metadata, labels: { a: 'b' } },
        spec: { unschedulable: true },
        status: {},
      },
    })
    expect(body.metadata.labels).toEqual({ a: 'b' })
    expect(body.spec).toEqual(found.spec)
    expect(body.status.conditions).toBeUndefined()
  })

  it.each([
    { when: 'the object is missing', path: `${NODES}/b`, body: node('b'), status: 404 },
    {
      when: 'the status of a missing object is meant',
      path: `${NODES}/b/status`,
      body: node('b'),
      status: 404,
    },
    { when: 'the name differs from the URL', path: PATH, body: node('b'), status: 400 },
    { when: 'the body has no name', path: PATH, body: { metadata: {} }, status: 400 },
    {
      when: 'the uid is another',
      path: PATH,
      body: { metadata: { name: 'a', uid: 'x' } },
      status: 409,
    },
    {
      when: 'the version is stale',
      path: PATH,
      body: { metadata: { name: 'a', resourceVersion: '1' } },
      status: 409,
    },
    {
      when: 'the version is no number',
      path: PATH,
      body: { metadata: { name: 'a', resourceVersion: 'x' } },
      status: 400,
    },
    {
      when: 'version and fields are both wrong',
      path: PATH,
      body: { metadata: { name: 'a', resourceVersion: '1' }, spec: { taints: [{}] } },
      status: 409,
    },
    {
      when: 'a field is wrong',
      path: PATH,
      body: { metadata: { name: 'a' }, spec: { taints: [{ key: 'a', effect: 'No' }] } },
      status: 422,
    },
    {
      when: 'the body is of another kind',
      path: PATH,
      body: { kind: 'Pod', metadata: { name: 'a' } },
      status: 400,
    },
  ])('is $status when $when, and changes nothing', async ({ path, body, status }) => {
    const { call, found } = await withNode()
    const reply = await call('PUT', path, { body })
    expect(reply.status, reply.text).toBe(status)
    expect((await call('GET', PATH)).body).toEqual(found)
  })

  it('with dryRun=All changes nothing', async () => {
    const { call, found } = await withNode()
    const reply = await call('PUT', `${PATH}?dryRun=All`, {
      body: { metadata: { name: 'a' }, spec: { unschedulable: true } },
    })
    expect(reply.body.spec.unschedulable).toBe(true)
    expect((await call('GET', PATH)).body).toEqual(found)
  })

  it('that loses a race without naming a version is applied to the winner', async () => {
    const { store } = await withNode()
    let races = 2
    const racing = world({
      store: {
        ...store,
        commit: async (steps) => {
          const [step] = steps
          if (races-- > 0 && step?.do === 'replaceObject') {
            const { believed } = step
            const metadata = { ...believed.object.metadata, labels: { race: String(races) } }
            await store.commit([{ ...step, object: { ...believed.object, metadata } }])
          }
          return await store.commit(steps)
        },
      },
    })
    const reply = await racing.call('PATCH', PATH, { body: { spec: { unschedulable: true } } })
    expect(reply.status).toBe(200)
    expect(reply.body.metadata.labels).toEqual({ race: '0' })
    expect(reply.body.spec.unschedulable).toBe(true)
  })
})

describe('a status of a node that its own host writes', () => {
  it.each([
    { when: 'as it was', spec: {}, status: 200 },
    {
      when: 'with a taint beside it',
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: 403,
    },
  ])('is judged as it was sent, $when: $status', async ({ spec, status }) => {
    const place = world()
    const { body } = await place.call('POST', NODES, { as: 'node-b', body: node('node-b') })
    const sent = { ...body, spec: { ...body.spec, ...spec } }
    const reply = await place.call('PUT', `${NODES}/node-b/status`, { as: 'node-b', body: sent })
    expect(reply.status).toBe(status)
  })
})
