import { describe, expect, it } from 'vitest'
import { LOCKS, lease, NODES, node, PODS, pod, START_MS, world } from '../world.ts'

describe('a creation', () => {
  it('gets uid, time and version from the server', async () => {
    const { status, body } = await world().call('POST', NODES, { body: node('a') })
    expect(status).toBe(201)
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(body.metadata.creationTimestamp).toBe('2026-01-02T03:04:05Z')
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(START_MS * 1000)
    expect([body.kind, body.apiVersion]).toEqual(['Node', 'v1'])
  })

  it('needs neither kind nor apiVersion in the body', async () => {
    const { status, body } = await world().call('POST', NODES, {
      body: { metadata: { name: 'a' } },
    })
    expect([status, body.kind]).toEqual([201, 'Node'])
  })

  it('of a name that is taken is 409', async () => {
    const place = world()
    await place.call('POST', NODES, { body: node('a') })
    const { status, body } = await place.call('POST', NODES, { body: node('a') })
    expect([status, body.reason, body.message]).toEqual([
      409,
      'AlreadyExists',
      'nodes "a" already exists',
    ])
  })

  it('in a namespace that is not there is 404', async () => {
    const { status, body } = await world().call('POST', '/api/v1/namespaces/x/pods', {
      body: pod('a'),
    })
    expect([status, body.message]).toEqual([404, 'namespaces "x" not found'])
  })

  it('from a prefix makes up the end of the name', async () => {
    const body = lease('', {}, { name: undefined, generateName: 'lock-' })
    const reply = await world().call('POST', LOCKS, { body })
    expect(reply.body.metadata.name).toMatch(/^lock-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
  })

  it('from a prefix tries eight names, then gives up', async () => {
    let draws = 0
    const place = world({
      random: () => {
        draws++
        return 0
      },
    })
    const body = lease('', {}, { name: undefined, generateName: 'lock-' })
    expect((await place.call('POST', LOCKS, { body })).status).toBe(201)
    draws = 0
    const reply = await place.call('POST', LOCKS, { body })
    expect([reply.status, reply.body.reason]).toEqual([409, 'AlreadyExists'])
    expect(reply.body.message).toContain('try again')
    expect(draws).toBe(8 * 5)
  })

  it('with dryRun=All shows what would be and stores nothing', async () => {
    const place = world()
    const reply = await place.call('POST', `${NODES}?dryRun=All`, { body: node('a') })
    expect(reply.status).toBe(201)
    expect(reply.body.metadata.uid).toBeTruthy()
    expect(reply.body.metadata.resourceVersion).toBeUndefined()
    expect((await place.call('GET', `${NODES}/a`)).status).toBe(404)
    await place.call('POST', NODES, { body: node('a') })
    expect((await place.call('POST', `${NODES}?dryRun=All`, { body: node('a') })).status).toBe(409)
  })

  it('of a pod begins as Pending, whatever its body says', async () => {
    const place = world()
    const { body } = await place.call('POST', PODS, {
      body: { ...pod('a'), status: { phase: 'Running' } },
    })
    expect(body.status.phase).toBe('Pending')
  })

  it('drops managedFields', async () => {
    const managedFields = [{ manager: 'x', operation: 'Update', apiVersion: 'v1' }]
    const body = { metadata: { name: 'a', managedFields } }
    const reply = await world().call('POST', NODES, { body })
    expect(reply.status).toBe(201)
    expect(reply.body.metadata.managedFields).toBeUndefined()
  })

  it.each([
    { when: 'over 350 KB', as: 'admin', size: 360_000, status: 413 },
    { when: 'of its own over 64 KB', as: 'node-a', size: 70_000, status: 413 },
    { when: 'of an admin over 64 KB', as: 'admin', size: 70_000, status: 201 },
  ])('of a node $when is $status', async ({ as, size, status }) => {
    const annotations = { big: 'x'.repeat(Math.min(size, 200_000)) }
    const images = [{ names: ['y'.repeat(Math.max(0, size - 200_000))] }]
    const body = { metadata: { name: 'node-a', annotations }, status: { images } }
    expect((await world().call('POST', NODES, { body, as })).status).toBe(status)
  })
})

describe('field validation', () => {
  const body = { ...node('a'), spec: { foo: 1 } }

  it.each([
    { when: 'Strict refuses', query: '?fieldValidation=Strict', status: 400 },
    { when: 'Warn warns about', query: '?fieldValidation=Warn', status: 201 },
    { when: 'Ignore drops', query: '?fieldValidation=Ignore', status: 201 },
    { when: 'nobody asked, so the server drops', query: '', status: 201 },
    { when: 'a word nobody knows refuses', query: '?fieldValidation=Maybe', status: 422 },
  ])('$when an unknown field', async ({ query, status }) => {
    const reply = await world().call('POST', `${NODES}${query}`, { body })
    expect(reply.status).toBe(status)
    if (query.endsWith('Strict')) {
      expect(reply.body.message).toContain('strict decoding error: unknown field "spec.foo"')
    }
    const warning = reply.headers.get('warning')
    expect(warning).toBe(query.endsWith('Warn') ? '299 - "unknown field \\"spec.foo\\""' : null)
  })

  it.each([
    { when: 'another dry run than All', query: 'dryRun=Some' },
    { when: 'a manager with a name too long', query: `fieldManager=${'x'.repeat(129)}` },
    { when: 'a manager with too many bytes', query: `fieldManager=${'%C3%A4'.repeat(65)}` },
    { when: 'a manager that cannot be printed', query: 'fieldManager=a%00b' },
  ])('$when is 422', async ({ query }) => {
    const reply = await world().call('POST', `${NODES}?${query}`, { body: node('a') })
    expect([reply.status, reply.body.reason]).toEqual([422, 'Invalid'])
  })
})
