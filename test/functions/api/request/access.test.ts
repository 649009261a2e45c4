import { describe, expect, it } from 'vitest'
import { LEASES, lease, NODES, node, PODS, pod, world } from '../world.ts'

describe('who is not known', () => {
  it.each([
    { when: 'no token', as: null },
    { when: 'a bad token', as: 'forged' },
  ])('with $when gets 401 everywhere but at the door', async ({ as }) => {
    const place = world()
    const closed = [NODES, '/api', '/apis', '/api/v1', '/openapi/v2', '/nowhere', '/apis/x/v1/y']
    for (const path of closed) {
      const reply = await place.call('GET', path, { as })
      expect([reply.status, reply.body?.reason, path]).toEqual([401, 'Unauthorized', path])
    }
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      expect((await place.call('GET', path, { as })).status, path).toBe(200)
    }
  })
})

describe('who may not', () => {
  const cannot = (user: string, what: string) => `User "${user}" cannot ${what}`
  it.each([
    {
      when: 'a stranger reads a node',
      as: 'stranger',
      call: ['GET', `${NODES}/a`],
      message: `nodes "a" is forbidden: ${cannot('sid', 'get resource "nodes" in API group "" at the cluster scope')}`,
    },
    {
      when: 'a viewer writes a status',
      as: 'viewer',
      call: ['PATCH', `${NODES}/a/status`],
      message: `nodes "a" is forbidden: ${cannot('vera', 'patch resource "nodes/status" in API group "" at the cluster scope')}`,
    },
    {
      when: 'a viewer creates a lease',
      as: 'viewer',
      call: ['POST', LEASES],
      message:
        'leases.coordination.k8s.io is forbidden: ' +
        `${cannot('vera', 'create resource "leases" in API group "coordination.k8s.io"')} in the namespace "kube-node-lease"`,
    },
    {
      when: 'a stranger reads a path',
      as: 'stranger',
      call: ['GET', '/metrics'],
      message: `forbidden: ${cannot('sid', 'get path "/metrics"')}`,
    },
  ])('$when: 403', async ({ as, call: [method = '', path = ''], message }) => {
    const body = method === 'GET' ? undefined : {}
    const reply = await world().call(method, path, { as, body })
    expect([reply.status, reply.body.reason]).toEqual([403, 'Forbidden'])
    expect(reply.body.message).toBe(message)
  })

  it('act for somebody else: 403, even for an admin', async () => {
    const reply = await world().call('GET', NODES, { headers: { 'impersonate-user': 'other' } })
    expect([reply.status, reply.body.reason]).toEqual([403, 'Forbidden'])
    expect(reply.body.message).toContain('cannot impersonate resource "users"')
  })

  it('slow down: 429 with Retry-After, and no refusal of ours', async () => {
    const reported: unknown[] = []
    const place = world({ limiter: () => 7, onRefusedBeat: (refused) => reported.push(refused) })
    const reply = await place.call('PATCH', `${LEASES}/a`, { body: {} })
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([429, '7'])
    expect(reported).toEqual([])
  })
})

describe('a node', () => {
  it('registers, beats and reports as itself and as nobody else', async () => {
    const place = world()
    const as = 'node-a'
    expect((await place.call('POST', NODES, { as, body: node('node-a') })).status).toBe(201)
    expect((await place.call('POST', NODES, { as, body: node('node-b') })).status).toBe(403)
    expect((await place.call('POST', LEASES, { as, body: lease('node-a', {}) })).status).toBe(201)
    expect((await place.call('POST', LEASES, { as, body: lease('node-b', {}) })).status).toBe(403)
    expect((await place.call('GET', `${LEASES}/node-b`, { as })).status).toBe(403)

    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } }
    const report = (name: string) => place.call('PATCH', `${NODES}/${name}/status`, { as, body })
    expect((await report('node-a')).status).toBe(200)
    await place.call('POST', NODES, { body: node('node-b') })
    expect((await report('node-b')).status).toBe(403)
    expect((await place.call('DELETE', `${NODES}/node-a`, { as })).status).toBe(403)
    expect((await place.call('GET', NODES, { as })).status).toBe(403)
    const own = await place.call('GET', `${NODES}?fieldSelector=metadata.name%3Dnode-a`, { as })
    expect([own.status, own.body.items.length]).toEqual([200, 1])
  })

  it('sees the pods that are bound to it and no others', async () => {
    const place = world()
    const as = 'node-a'
    await place.call('POST', PODS, { body: pod('mine', { nodeName: 'node-a' }) })
    await place.call('POST', PODS, { body: pod('theirs', { nodeName: 'node-b' }) })
    expect((await place.call('GET', `${PODS}/mine`, { as })).status).toBe(200)
    expect((await place.call('GET', `${PODS}/theirs`, { as })).status).toBe(403)
    expect((await place.call('GET', PODS, { as })).status).toBe(403)
    const own = await place.call('GET', '/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-a', { as })
    expect(own.body.items).toHaveLength(1)
    expect((await place.call('DELETE', `${PODS}/theirs`, { as })).status).toBe(403)
  })

  it('may not steer its own judgement through its lease', async () => {
    const place = world()
    const as = 'node-a'
    const spec = { holderIdentity: 'node-a', renewTime: '2026-01-02T03:04:05.000000Z' }
    const made = await place.call('POST', LEASES, { as, body: lease('node-a', spec) })
    const annotations = { 'leasehold.dev/node-monitor-grace-period': '1h' }
    const body = {
      ...made.body,
      metadata: { ...made.body.metadata, annotations },
      spec: { ...spec, renewTime: '2026-01-02T03:04:15.000000Z' },
    }
    expect((await place.call('PUT', `${LEASES}/node-a`, { as, body })).status).toBe(403)
    expect((await place.call('PUT', `${LEASES}/node-a`, { body })).status).toBe(200)
  })
})
