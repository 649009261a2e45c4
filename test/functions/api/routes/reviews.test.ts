import { describe, expect, it } from 'vitest'
import { world } from '../world.ts'

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

  it.each([
    { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', status: 406 },
    { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json', status: 201 },
    { accept: 'application/vnd.kubernetes.protobuf,application/json', status: 201 },
  ])('asked for as $accept are $status', async ({ accept, status }) => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'nodes' } }
    const call = { body: { spec }, headers: { accept } }
    const path = `${authorization}/selfsubjectaccessreviews`
    expect((await world().call('POST', path, call)).status).toBe(status)
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
