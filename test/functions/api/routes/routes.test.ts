import { describe, expect, it } from 'vitest'
import { world } from '../world.ts'

const aggregated = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

describe('health', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s says ok, and more when asked', async (path) => {
    const place = world()
    const plain = await place.call('GET', path, { as: null })
    expect([plain.status, plain.text]).toEqual([200, 'ok'])
    expect(plain.headers.get('content-type')).toContain('text/plain')
    const verbose = await place.call('GET', `${path}?verbose`, { as: null })
    expect(verbose.text).toContain('[+]ping ok\n')
    expect(verbose.text).toContain(`${path.slice(1)} check passed`)
  })

  it.each([
    { when: 'fails', get: () => Promise.reject(new Error('secret')) },
    { when: 'is silent', get: () => new Promise<undefined>(() => {}) },
  ])('is not ready, but alive, while the store $when', async ({ get }) => {
    const { store } = world()
    const place = world({
      store: { ...store, records: { ...store.records, get } },
      settings: { readyBudgetMs: 5 },
    })
    const reply = await place.call('GET', '/readyz', { as: null })
    expect(reply.status).toBe(500)
    expect(reply.text).toContain('[-]store failed')
    expect(reply.text).not.toContain('secret')
    expect((await place.call('GET', '/livez', { as: null })).status).toBe(200)
  })
})

describe('discovery', () => {
  it.each([
    { path: '/version', kind: undefined },
    { path: '/api', kind: 'APIVersions' },
    { path: '/apis', kind: 'APIGroupList' },
    { path: '/apis/', kind: 'APIGroupList' },
    { path: '/api/v1', kind: 'APIResourceList' },
    { path: '/apis/coordination.k8s.io', kind: 'APIGroup' },
    { path: '/apis/coordination.k8s.io/v1', kind: 'APIResourceList' },
  ])('$path answers $kind', async ({ path, kind }) => {
    const { status, body } = await world().call('GET', path, { as: 'stranger' })
    expect([status, body.kind]).toEqual([200, kind])
  })

  it.each([
    {
      accept: `${aggregated('v2')},${aggregated('v2beta1')},application/json`,
      type: aggregated('v2'),
    },
    { accept: `${aggregated('v2beta1')},application/json`, type: aggregated('v2beta1') },
    { accept: 'application/json', type: 'application/json' },
  ])('speaks $type to those who ask for it first', async ({ accept, type }) => {
    for (const path of ['/api', '/apis']) {
      const { headers } = await world().call('GET', path, { headers: { accept } })
      expect(headers.get('content-type')).toBe(type)
    }
  })

  it.each([
    { path: '/apis/unknown.group', status: 404, kind: undefined },
    { path: '/apis/unknown.group/v1', status: 404, kind: undefined },
    { path: '/nowhere', status: 404, kind: undefined },
    { path: '/apis/coordination.k8s.io/v2', status: 404, kind: 'Status' },
    { path: '/api/v1/unknowns', status: 404, kind: 'Status' },
  ])('of $path is $status $kind', async ({ path, status, kind }) => {
    const reply = await world().call('GET', path)
    expect([reply.status, reply.body?.kind]).toEqual([status, kind])
    if (!kind) expect(reply.text).toBe('404 page not found\n')
    else expect(reply.body.message).toBe('the server could not find the requested resource')
  })
})

describe('OpenAPI', () => {
  it('v2 is empty, under a type that Go can read', async () => {
    const { status, text, headers } = await world().call('GET', '/openapi/v2')
    expect([status, text]).toEqual([200, ''])
    expect(headers.get('content-type')).not.toContain('@')
  })

  it('v3 is kept by clients for a year under the address of its index', async () => {
    const place = world()
    const { body } = await place.call('GET', '/openapi/v3')
    const address = body.paths['apis/coordination.k8s.io/v1'].serverRelativeURL
    const document = await place.call('GET', address)
    expect(document.body.openapi).toBe('3.0.0')
    expect(document.headers.get('cache-control')).toBe('public, immutable')
    expect(document.headers.get('expires')).toBe('Sat, 02 Jan 2027 03:04:05 GMT')
    const etag = document.headers.get('etag')!
    const again = await place.call('GET', address, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await place.call('GET', '/openapi/v3/api/v9')).status).toBe(404)
  })
})

describe('reviews', () => {
  const authorization = '/apis/authorization.k8s.io/v1'
  const ask = async (as: string, resourceAttributes: object) => {
    const call = { as, body: { spec: { resourceAttributes } } }
    return await world().call('POST', `${authorization}/selfsubjectaccessreviews`, call)
  }

  it.each([
    { as: 'admin', verb: 'delete', resource: 'nodes', allowed: true },
    { as: 'viewer', verb: 'list', resource: 'nodes', allowed: true },
    { as: 'viewer', verb: 'delete', resource: 'nodes', allowed: false },
    { as: 'stranger', verb: 'get', resource: 'pods', allowed: false },
    { as: 'node-a', verb: 'get', resource: 'nodes', name: 'node-a', allowed: true },
    { as: 'node-a', verb: 'get', resource: 'nodes', name: 'node-b', allowed: false },
    { as: 'stranger', verb: 'get', resource: '', allowed: false },
  ])('may $as $verb $resource $name: $allowed', async ({ as, allowed, ...attributes }) => {
    const { status, body } = await ask(as, attributes)
    expect([status, body.status.allowed]).toEqual([201, allowed])
  })

  it('answer about paths, and need exactly one question', async () => {
    const path = `${authorization}/selfsubjectaccessreviews`
    const post = (spec: object) => world().call('POST', path, { as: 'stranger', body: { spec } })
    const version = await post({ nonResourceAttributes: { path: '/version', verb: 'get' } })
    expect(version.body.status.allowed).toBe(true)
    const none = await post({})
    expect([none.status, none.body.reason]).toEqual([422, 'Invalid'])
  })

  it('tell a caller its rules and its name', async () => {
    const place = world()
    const rules = await place.call('POST', `${authorization}/selfsubjectrulesreviews`, {
      as: 'viewer',
      body: { spec: { namespace: 'default' } },
    })
    expect(rules.status).toBe(201)
    expect(rules.body.status.incomplete).toBe(false)
    expect(rules.body.status.resourceRules.length).toBeGreaterThan(0)
    const self = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { body } = await place.call('POST', self, { as: 'viewer', body: {} })
    expect(body.status.userInfo.username).toBe('vera')
    expect(body.metadata.creationTimestamp).toBe('2026-01-02T03:04:05Z')
  })
})

describe('what others mount', () => {
  it('is open, or guarded with the caller at hand', async () => {
    const place = world({
      routes: [
        { path: '/dashboard/*', access: 'open', handle: () => new Response('page') },
        { path: '/metrics', access: 'guarded', handle: (_, caller) => new Response(caller?.user) },
      ],
    })
    expect((await place.call('GET', '/dashboard/x.js', { as: null })).text).toBe('page')
    expect((await place.call('GET', '/metrics', { as: null })).status).toBe(401)
    expect((await place.call('GET', '/metrics', { as: 'stranger' })).status).toBe(403)
    expect((await place.call('GET', '/metrics')).text).toBe('admin')
  })
})
