import { describe, expect, it } from 'vitest'
import {
  aggregatedContentType,
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
} from '../../../shared/kube/discovery.ts'

const GROUPS = [
  'authentication.k8s.io',
  'authorization.k8s.io',
  'coordination.k8s.io',
  'events.k8s.io',
  'leasehold.dev',
  'node.k8s.io',
  'storage.k8s.io',
]

describe('legacy discovery', () => {
  it('names the core version and where to reach it', () => {
    expect(apiVersions('127.0.0.1:6443')).toMatchObject({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ serverAddress: '127.0.0.1:6443' }],
    })
  })

  it('lists every other group with its one version', () => {
    expect(apiGroupList().groups.map(({ name }) => name)).toEqual(GROUPS)
    expect(apiGroup('coordination.k8s.io')).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'coordination.k8s.io',
      versions: [{ groupVersion: 'coordination.k8s.io/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'coordination.k8s.io/v1', version: 'v1' },
    })
    expect(apiGroup('apps')).toBeUndefined()
    expect(apiGroup('')).toBeUndefined()
  })

  it('lists core resources and their subresources', () => {
    const list = apiResourceList('')
    expect(list?.groupVersion).toBe('v1')
    expect(list?.resources.map(({ name }) => name)).toEqual([
      ...['events', 'namespaces', 'namespaces/finalize', 'namespaces/status'],
      ...['nodes', 'nodes/status'],
      ...['pods', 'pods/binding', 'pods/eviction', 'pods/status'],
      ...['services', 'services/status'],
    ])
    expect(list?.resources.find(({ name }) => name === 'nodes')).toEqual({
      ...{ name: 'nodes', singularName: 'node', namespaced: false, kind: 'Node' },
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['no'],
    })
    expect(list?.resources.find(({ name }) => name === 'pods/eviction')).toEqual({
      ...{ name: 'pods/eviction', singularName: '', namespaced: true },
      ...{ group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
    })
  })

  it('lists reviews as something to post', () => {
    expect(apiResourceList('authorization.k8s.io')?.resources).toMatchObject([
      { name: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', verbs: ['create'] },
      { name: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', verbs: ['create'] },
    ])
    expect(apiResourceList('apps')).toBeUndefined()
  })
})

describe('aggregated discovery', () => {
  it('puts the core group alone under /api, without a name', () => {
    const { items } = aggregatedDiscovery('/api', 'v2')
    expect(items).toHaveLength(1)
    expect(items[0]?.metadata).toEqual({})
    const pods = items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods')
    expect(pods).toMatchObject({
      responseKind: { group: '', version: '', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      shortNames: ['po'],
      categories: ['all'],
    })
    expect(pods?.subresources).toContainEqual({
      subresource: 'eviction',
      responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      verbs: ['create'],
    })
  })

  it('puts the others under /apis', () => {
    const { items } = aggregatedDiscovery('/apis', 'v2')
    expect(items.map(({ metadata }) => metadata.name)).toEqual(GROUPS)
    expect(
      items.flatMap(({ versions }) => versions).every((one) => one.freshness === 'Current'),
    ).toBe(true)
  })

  it('differs between its versions in nothing but their name', () => {
    const { apiVersion, ...v2 } = aggregatedDiscovery('/apis', 'v2')
    const { apiVersion: older, ...v2beta1 } = aggregatedDiscovery('/apis', 'v2beta1')
    expect([apiVersion, older]).toEqual(['apidiscovery.k8s.io/v2', 'apidiscovery.k8s.io/v2beta1'])
    expect(v2).toEqual(v2beta1)
    expect(aggregatedContentType('v2')).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    )
  })
})
