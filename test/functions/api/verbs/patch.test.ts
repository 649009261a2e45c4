import { describe, expect, it } from 'vitest'
import type { NodeCondition } from '../../../../shared/kube/objects.ts'
import { LEASES, NODES, node, type World, world } from '../world.ts'

const PATH = `${NODES}/a`
const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

async function withNode(): Promise<World> {
  const place = world()
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'DiskPressure', status: 'False' },
  ]
  await place.call('POST', NODES, { body: { ...node('a'), status: { conditions } } })
  return place
}

describe('a patch', () => {
  it.each([
    { when: 'merge', type: types.merge, body: { spec: { unschedulable: true } } },
    { when: 'strategic', type: types.strategic, body: { spec: { unschedulable: true } } },
    {
      when: 'JSON',
      type: types.json,
      body: [{ op: 'add', path: '/spec/unschedulable', value: true }],
    },
  ])('($when) changes what it names', async ({ type, body }) => {
    const place = await withNode()
    const reply = await place.call('PATCH', PATH, { body, type })
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.spec.unschedulable).toBe(true)
  })

  it('of the status merges conditions by type', async () => {
    const place = await withNode()
    const body = { status: { conditions: [{ type: 'Ready', status: 'False' }] } }
    const reply = await place.call('PATCH', `${PATH}/status`, { body, type: types.strategic })
    const shown = reply.body.status.conditions.map(
      ({ type, status }: NodeCondition) => `${type}=${status}`,
    )
    expect(shown).toEqual(['Ready=False', 'DiskPressure=False'])
  })

  it('of nothing is a no-op', async () => {
    const place = await withNode()
    const before = (await place.call('GET', PATH)).body
    const reply = await place.call('PATCH', `${PATH}/status`, { body: {}, type: types.strategic })
    expect([reply.status, reply.body]).toEqual([200, before])
  })

  it.each([
    { when: 'the object is missing', path: `${NODES}/b`, type: types.merge, body: {}, status: 404 },
    {
      when: 'the version it names is stale',
      path: PATH,
      type: types.merge,
      body: { metadata: { resourceVersion: '1' } },
      status: 409,
    },
    {
      when: 'the uid it names is another',
      path: PATH,
      type: types.merge,
      body: { metadata: { uid: 'x' } },
      status: 409,
    },
    {
      when: 'it renames',
      path: PATH,
      type: types.merge,
      body: { metadata: { name: 'b' } },
      status: 400,
    },
    {
      when: 'it changes the kind',
      path: PATH,
      type: types.merge,
      body: { kind: 'Pod' },
      status: 400,
    },
    { when: 'it is of an unknown type', path: PATH, type: 'text/plain', body: {}, status: 415 },
    { when: 'it is plain JSON', path: PATH, type: 'application/json', body: {}, status: 415 },
    { when: 'a JSON patch is no list', path: PATH, type: types.json, body: {}, status: 400 },
    {
      when: 'a JSON patch tests in vain',
      path: PATH,
      type: types.json,
      body: [{ op: 'test', path: '/kind', value: 'Pod' }],
      status: 422,
    },
    {
      when: 'a JSON patch removes the metadata',
      path: PATH,
      type: types.json,
      body: [
        { op: 'remove', path: '/metadata' },
        { op: 'add', path: '/metadata', value: 5 },
      ],
      status: 400,
    },
    {
      when: 'force is used without apply',
      path: `${PATH}?force=true`,
      type: types.merge,
      body: {},
      status: 422,
    },
    { when: 'an apply says not who applies', path: PATH, type: types.apply, body: {}, status: 422 },
    {
      when: 'an apply brings managers',
      path: `${PATH}?fieldManager=me`,
      type: types.apply,
      body: { metadata: { managedFields: [] } },
      status: 400,
    },
    {
      when: 'a field is unknown under Strict',
      path: `${PATH}?fieldValidation=Strict`,
      type: types.merge,
      body: { spec: { foo: 1 } },
      status: 422,
    },
  ])('is $status when $when, and changes nothing', async ({ path, type, body, status }) => {
    const place = await withNode()
    const before = (await place.call('GET', PATH)).body
    const reply = await place.call('PATCH', path, { body, type })
    expect(reply.status, reply.text).toBe(status)
    expect((await place.call('GET', PATH)).body).toEqual(before)
  })

  it.each([
    { asked: '', status: 200, warning: null },
    { asked: '?fieldValidation=Warn', status: 200, warning: 'duplicate field \\"spec.providerID' },
    { asked: '?fieldValidation=Strict', status: 422, warning: null },
  ])('that says a thing twice is $status with "$asked"', async ({ asked, status, warning }) => {
    const place = await withNode()
    const raw = '{"spec":{"providerID":"a","providerID":"b"}}'
    const reply = await place.call('PATCH', `${PATH}${asked}`, { raw })
    expect(reply.status).toBe(status)
    if (warning) expect(reply.headers.get('warning')).toContain(warning)
    if (status === 422) expect(reply.body.message).toContain('duplicate field "spec.providerID"')
  })

  it('warns about unknown fields where that is asked', async () => {
    const place = await withNode()
    const body = { spec: { foo: 1 } }
    const reply = await place.call('PATCH', `${PATH}?fieldValidation=Warn`, { body })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('warning')).toContain('spec.foo')
  })

  it('by apply creates what is missing and merges into what is there', async () => {
    const place = world()
    const raw = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {zone: "1"}\n'
    const apply = () => place.call('PATCH', `${PATH}?fieldManager=me`, { raw, type: types.apply })
    expect((await apply()).status).toBe(201)
    await place.call('PATCH', PATH, { body: { metadata: { labels: { other: 'x' } } } })
    const again = await apply()
    expect(again.status).toBe(200)
    expect(again.body.metadata.labels).toEqual({ zone: '1', other: 'x' })
  })

  it('of a missing lease is 404, unlike a PUT', async () => {
    const body = { spec: { renewTime: '2026-01-02T03:04:15.000000Z' } }
    expect((await world().call('PATCH', `${LEASES}/a`, { body })).status).toBe(404)
  })
})
