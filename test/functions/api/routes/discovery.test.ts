import { describe, expect, it } from 'vitest'
import { world } from '../world.ts'

const aggregated = (version: string) =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

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
