import { describe, expect, it } from 'vitest'
import {
  asksForRelation,
  createAuthorizer,
  rulesFor,
} from '../../../../shared/auth/access/authorizer.ts'
import type { Attributes, Identity } from '../../../../shared/auth/identity.ts'
import { anonymous } from '../../../../shared/auth/subject.ts'

const authenticated = (user: string, ...groups: string[]): Identity => ({
  user,
  groups: [...groups, 'system:authenticated'],
})
const who = {
  none: anonymous,
  stranger: authenticated('sam'),
  bootstrap: authenticated('system:bootstrap:abcdef', 'system:bootstrappers'),
  joining: authenticated('system:node:a', 'leasehold:joining'),
  nodeA: authenticated('system:node:a', 'system:nodes'),
  nodeB: authenticated('system:node:b', 'system:nodes'),
  nameless: authenticated('system:node:', 'system:nodes'),
  canary: authenticated('leasehold:canary', 'leasehold:canary'),
  viewer: authenticated('vera', 'leasehold:viewers'),
  operator: authenticated('oleg', 'leasehold:operators'),
  leaseUser: authenticated('app', 'leasehold:lease-users:shop'),
  beater: authenticated('eve', 'leasehold:lease-users:kube-node-lease'),
  admin: authenticated('root', 'system:masters'),
} as const
type Who = keyof typeof who
const everyone = Object.keys(who) as Who[]

/** `verb resource[/sub] [namespace/][name] [?field=value]`, or `verb /path`. */
function attributesOf(request: string): Attributes {
  const [verb = '', what = '', where = '', narrowed = ''] = request.split(' ')
  const empty = {
    verb,
    group: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
  }
  if (what.startsWith('/')) return { ...empty, path: what }
  const [resource = '', subresource = ''] = what.split('/')
  const [namespace = '', name = ''] = where.includes('/') ? where.split('/') : ['', where]
  const [field = '', value = ''] = narrowed.slice(1).split('=')
  return {
    ...empty,
    group: groupOf(what),
    resource,
    subresource,
    namespace,
    name: name === '-' ? '' : name,
    ...(field && { fieldSelector: { [field]: value } }),
  }
}

function groupOf(what: string): string {
  if (what === 'leases') return 'coordination.k8s.io'
  if (what === 'selfsubjectreviews') return 'authentication.k8s.io'
  if (what.startsWith('selfsubject')) return 'authorization.k8s.io'
  return ['nodes/token', 'bootstraptokens', 'zones', 'fleets', 'cells'].includes(what)
    ? 'leasehold.dev'
    : ''
}

const people: Who[] = ['viewer', 'operator', 'admin']
const known: Who[] = everyone.filter(
  (one) => !['none', 'bootstrap', 'joining', 'nameless'].includes(one),
)

/** Every request, and everybody who may make it. Whoever is not named may not. */
const table: Readonly<Record<string, readonly Who[]>> = {
  'get /healthz': everyone,
  'get /livez': everyone,
  'get /readyz': everyone,
  'get /version': everyone,
  'get /healthz/secret': ['admin'],
  'post /healthz': ['admin'],
  'get /api': known,
  'get /apis': known,
  'get /apis/coordination.k8s.io/v1': known,
  'get /openapi/v3': known,
  'get /apisecret': ['admin'],
  'get /metrics': people,
  'get /': ['admin'],
  'create selfsubjectreviews': known,
  'create selfsubjectaccessreviews': known,
  'create selfsubjectrulesreviews': known,

  'create nodes': ['joining', 'nodeA', 'nodeB', 'admin'],
  'get nodes a': ['joining', 'nodeA', ...people],
  'list nodes': people,
  'list nodes - ?metadata.name=a': ['nodeA', ...people],
  'watch nodes - ?metadata.name=a': ['nodeA', ...people],
  // Admission holds a node to its own name here, as in Kubernetes.
  'update nodes a': ['nodeA', 'nodeB', 'operator', 'admin'],
  'patch nodes a': ['nodeA', 'nodeB', 'operator', 'admin'],
  'delete nodes a': ['operator', 'admin'],
  'get nodes/status a': people,
  'patch nodes/status a': ['nodeA', 'nodeB', 'admin'],
  'create nodes/token a': ['bootstrap', 'joining', 'nodeA', 'admin'],

  'get leases kube-node-lease/a': ['nodeA', ...people],
  'update leases kube-node-lease/a': ['nodeA', 'admin'],
  'patch leases kube-node-lease/a': ['nodeA', 'admin'],
  'delete leases kube-node-lease/a': ['nodeA', 'admin'],
  'create leases kube-node-lease/-': ['nodeA', 'nodeB', 'admin'],
  'list leases kube-node-lease/-': people,
  'get leases shop/leader': ['leaseUser', ...people],
  'list leases shop/-': ['leaseUser', ...people],
  'create leases shop/-': ['leaseUser', 'admin'],
  'update leases shop/leader': ['leaseUser', 'admin'],
  'delete leases shop/leader': ['leaseUser', 'admin'],
  'update leases bank/leader': ['admin'],
  'list leases': people,
  'update leases kube-system/leasehold-canary': ['canary', 'admin'],
  'update leases kube-system/leasehold-monitor': ['admin'],
  'create leases kube-system/leasehold-canary': ['canary', 'admin'],
  'create leases kube-system/-': ['admin'],

  'get pods shop/p': people,
  'list pods': people,
  'list pods - ?spec.nodeName=a': ['nodeA', ...people],
  'watch pods - ?spec.nodeName=a': ['nodeA', ...people],
  'create pods shop/-': ['nodeA', 'nodeB', 'admin'],
  'update pods shop/p': ['admin'],
  'delete pods shop/p': ['nodeA', 'nodeB', 'operator', 'admin'],
  'patch pods/status shop/p': ['nodeA', 'nodeB', 'admin'],
  'create pods/eviction shop/p': ['nodeA', 'nodeB', 'operator', 'admin'],
  'create pods/binding shop/p': ['admin'],

  'create events default/-': ['nodeA', 'nodeB', 'admin'],
  'list events default/-': people,
  'get namespaces shop': people,
  'create namespaces': ['admin'],
  'delete namespaces shop': ['admin'],

  'list bootstraptokens': ['operator', 'admin'],
  'create bootstraptokens': ['operator', 'admin'],
  'delete bootstraptokens abcdef': ['operator', 'admin'],
  'get zones eu-1': people,
  'patch zones eu-1': ['operator', 'admin'],
  'get fleets fleet': people,
  'patch fleets fleet': ['operator', 'admin'],
  'list cells': people,
  'patch cells eu-1-0': ['admin'],
}

describe('who may do what', () => {
  const authorizer = createAuthorizer()
  it.each(Object.entries(table))('%s', (request, expected) => {
    const attributes = attributesOf(request)
    const may = everyone.filter(
      (one) => authorizer.authorize(who[one], attributes).kind === 'allowed',
    )
    expect(may).toEqual(everyone.filter((one) => expected.includes(one)))
  })
})

describe('a pod asked for by name', () => {
  const authorizer = createAuthorizer()
  const attributes = attributesOf('get pods shop/p')

  it.each([
    { when: 'it is bound to the node', related: true, kind: 'allowed' },
    { when: 'it is bound to another', related: false, kind: 'denied' },
    { when: 'nobody looked', related: undefined, kind: 'denied' },
  ])('is $kind for a node when $when', ({ related, kind }) => {
    expect(authorizer.authorize(who.nodeA, { ...attributes, related }).kind).toBe(kind)
  })

  it('needs a look first for nodes, and for nobody else', () => {
    const asking = everyone.filter((one) => asksForRelation(who[one], attributes))
    expect(asking).toEqual(['nodeA', 'nodeB', 'nameless'])
    expect(asksForRelation(who.nodeA, attributesOf('list pods - ?spec.nodeName=a'))).toBe(false)
    expect(asksForRelation(who.nodeA, attributesOf('watch pods shop/- ?metadata.name=p'))).toBe(
      true,
    )
  })

  it('is open to a node that narrows its list to itself, and nobody need look', () => {
    const fieldSelector = { 'metadata.name': 'p', 'spec.nodeName': 'a' }
    const list = { ...attributesOf('watch pods shop/-'), fieldSelector }
    expect(asksForRelation(who.nodeA, list)).toBe(false)
    expect(authorizer.authorize(who.nodeA, { ...list, related: false }).kind).toBe('allowed')
    expect(asksForRelation(who.nodeB, list)).toBe(true)
    expect(authorizer.authorize(who.nodeB, { ...list, related: false }).kind).toBe('denied')
  })
})

describe('what the pods of a node refer to', () => {
  const authorizer = createAuthorizer()

  it.each([
    { request: 'get secrets shop/s', kind: 'allowed' },
    { request: 'watch configmaps shop/- ?metadata.name=c', kind: 'allowed' },
    { request: 'list secrets shop/-', kind: 'denied' },
    { request: 'list secrets shop/- ?spec.nodeName=a', kind: 'denied' },
    { request: 'update secrets shop/s', kind: 'denied' },
    { request: 'get persistentvolumes v', kind: 'allowed' },
    { request: 'list persistentvolumes v', kind: 'denied' },
    { request: 'update persistentvolumeclaims/status shop/c', kind: 'allowed' },
    { request: 'update persistentvolumeclaims shop/c', kind: 'denied' },
    { request: 'create serviceaccounts/token shop/default', kind: 'allowed' },
    { request: 'create serviceaccounts shop/default', kind: 'denied' },
  ])('"$request" is $kind to it', ({ request, kind }) => {
    const attributes = { ...attributesOf(request), related: true }
    expect(authorizer.authorize(who.nodeA, attributes).kind).toBe(kind)
    const unrelated = { ...attributes, related: false }
    expect(authorizer.authorize(who.nodeA, unrelated).kind).toBe('denied')
  })
})

describe('what a caller is told about itself', () => {
  it('everything, for an administrator', () => {
    expect(rulesFor(who.admin, 'shop')).toEqual({
      resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    })
  })

  it('leases of its namespace only, for a lease user', () => {
    const leasesIn = (namespace: string) =>
      rulesFor(who.leaseUser, namespace).resourceRules.some(({ resources }) =>
        resources.includes('leases'),
      )
    expect([leasesIn('shop'), leasesIn('bank')]).toEqual([true, false])
  })

  it('its own name, and that there is more to it, for a node', () => {
    const review = rulesFor(who.nodeA, '')
    expect(review.incomplete).toBe(true)
    expect(review.resourceRules).toContainEqual({
      verbs: ['get', 'list', 'watch'],
      apiGroups: [''],
      resources: ['nodes'],
      resourceNames: ['a'],
    })
  })
})
