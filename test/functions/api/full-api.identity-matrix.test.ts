/**
 * Every route and verb, asked by everybody, over HTTP. A route or a verb without a row here fails
 * the last test: whoever adds one says who may use it.
 */

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bootstrapTokenRoutes } from '../../../functions/api/routes/bootstrap-token-routes.ts'
import { tokenRoute } from '../../../functions/api/routes/token-routes.ts'
import { createAdmission } from '../../../shared/auth/access/admission.ts'
import { createAuthorizer } from '../../../shared/auth/access/authorizer.ts'
import { createAuthenticator } from '../../../shared/auth/authenticator.ts'
import { createBootstrapToken } from '../../../shared/auth/join/bootstrap-tokens.ts'
import { keySet } from '../../../shared/auth/tokens/key-set.ts'
import { type Signer, signToken } from '../../../shared/auth/tokens/signer.ts'
import { resources } from '../../../shared/kube/registry.ts'
import { memoryStore } from '../../../shared/store/memory/store.ts'
import { issued, newSigner } from '../../shared/auth/install.ts'
import { cellsAccess, cellsPlace } from '../../shared/kube/cells/access.ts'
import { explanationsAccess, explanationsPlace } from '../../shared/kube/explanation/access.ts'
import { START_MS, type World, world } from './world.ts'

const strangers = ['none', 'expired', 'wrongKey', 'wrongAudience', 'algNone'] as const
const known = [
  'bootstrap',
  'joining',
  'nodeA',
  'nodeB',
  'viewer',
  'operator',
  'leaseUser',
  'admin',
] as const
type Known = (typeof known)[number]

const people: Known[] = ['viewer', 'operator', 'admin']
const insiders: Known[] = ['nodeA', 'nodeB', ...people, 'leaseUser']
/** Answers anybody, with or without a token. */
const open = 'everybody'

/**
 * Who is let through. Objects are those of node a: its Node, its Lease, a Pod bound to it. The
 * joining host is on its way to become c, which is what `create nodes` creates.
 */
const table: Readonly<Record<string, readonly Known[] | typeof open>> = {
  'GET /healthz': open,
  'GET /livez': open,
  'GET /readyz': open,
  'GET /version': open,
  'GET /api': insiders,
  'GET /api/v1': insiders,
  'GET /apis': insiders,
  'GET /apis/:group': insiders,
  'GET /apis/:group/:version': insiders,
  'GET /openapi/v2': insiders,
  'GET /openapi/v3': insiders,
  'GET /openapi/v3/*': insiders,
  'POST /apis/authentication.k8s.io/v1/selfsubjectreviews': insiders,
  'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews': insiders,
  'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews': insiders,
  // Node a renews here. An administrator is let in, but has no node to speak for.
  'ALL /apis/leasehold.dev/v1/nodes/:name/token': ['nodeA'],
  // Only for the program itself, by its own token.
  'ALL /apis/leasehold.dev/v1/programs/:name/token': [],
  'ALL /apis/leasehold.dev/v1/bootstraptokens': ['operator', 'admin'],
  'ALL /apis/leasehold.dev/v1/bootstraptokens/:id': ['operator', 'admin'],

  'get nodes': ['nodeA', ...people],
  'list nodes': people,
  'watch nodes': people,
  'create nodes': ['joining', 'admin'],
  'update nodes': ['nodeA', 'operator', 'admin'],
  'patch nodes': ['nodeA', 'operator', 'admin'],
  'delete nodes': ['operator', 'admin'],
  'deletecollection nodes': ['admin'],
  'get nodes/status': people,
  'update nodes/status': ['nodeA', 'admin'],
  'patch nodes/status': ['nodeA', 'admin'],

  'get leases': ['nodeA', ...people],
  'list leases': people,
  'watch leases': people,
  'create leases': ['nodeA', 'admin'],
  'update leases': ['nodeA', 'admin'],
  'patch leases': ['nodeA', 'admin'],
  'delete leases': ['nodeA', 'admin'],
  'deletecollection leases': ['admin'],
  'get leases in shop': [...people, 'leaseUser'],
  'list leases in shop': [...people, 'leaseUser'],
  'watch leases in shop': [...people, 'leaseUser'],
  'create leases in shop': ['leaseUser', 'admin'],
  'update leases in shop': ['leaseUser', 'admin'],
  'patch leases in shop': ['leaseUser', 'admin'],
  'delete leases in shop': ['leaseUser', 'admin'],
  'deletecollection leases in shop': ['leaseUser', 'admin'],

  'get pods': ['nodeA', ...people],
  'list pods': people,
  'watch pods': people,
  'create pods': ['nodeA', 'admin'],
  'update pods': ['admin'],
  'patch pods': ['admin'],
  'delete pods': ['nodeA', 'operator', 'admin'],
  'deletecollection pods': ['admin'],
  'get pods/status': people,
  'update pods/status': ['nodeA', 'admin'],
  'patch pods/status': ['nodeA', 'admin'],
  'create pods/eviction': ['nodeA', 'operator', 'admin'],
  'create pods/binding': ['admin'],

  'get events': people,
  'list events': people,
  'watch events': people,
  'create events': ['nodeA', 'admin'],
  'update events': ['nodeA', 'admin'],
  'patch events': ['nodeA', 'admin'],
  'delete events': ['admin'],
  'deletecollection events': ['admin'],

  'get events.events.k8s.io': people,
  'list events.events.k8s.io': people,
  'watch events.events.k8s.io': people,
  'create events.events.k8s.io': ['nodeA', 'admin'],
  'update events.events.k8s.io': ['nodeA', 'admin'],
  'patch events.events.k8s.io': ['nodeA', 'admin'],
  'delete events.events.k8s.io': ['admin'],
  'deletecollection events.events.k8s.io': ['admin'],

  'get namespaces': people,
  'list namespaces': people,
  'watch namespaces': people,
  'create namespaces': ['admin'],
  'update namespaces': ['admin'],
  'patch namespaces': ['admin'],
  'delete namespaces': ['admin'],
  'get namespaces/status': people,
  'update namespaces/status': ['admin'],
  'patch namespaces/status': ['admin'],
  'update namespaces/finalize': ['admin'],

  'get services': ['nodeA', 'nodeB', ...people],
  'list services': ['nodeA', 'nodeB', ...people],
  'watch services': ['nodeA', 'nodeB', ...people],
  'create services': ['admin'],
  'update services': ['admin'],
  'patch services': ['admin'],
  'delete services': ['admin'],
  'deletecollection services': ['admin'],
  'get services/status': people,
  'update services/status': ['admin'],
  'patch services/status': ['admin'],

  'get csinodes': ['nodeA', ...people],
  'list csinodes': people,
  'watch csinodes': people,
  'create csinodes': ['nodeA', 'admin'],
  'update csinodes': ['nodeA', 'admin'],
  'patch csinodes': ['nodeA', 'admin'],
  'delete csinodes': ['nodeA', 'admin'],
  'deletecollection csinodes': ['admin'],

  'get csidrivers': ['nodeA', 'nodeB', ...people],
  'list csidrivers': ['nodeA', 'nodeB', ...people],
  'watch csidrivers': ['nodeA', 'nodeB', ...people],
  'create csidrivers': ['admin'],
  'update csidrivers': ['admin'],
  'patch csidrivers': ['admin'],
  'delete csidrivers': ['admin'],
  'deletecollection csidrivers': ['admin'],

  'get runtimeclasses': ['nodeA', 'nodeB', ...people],
  'list runtimeclasses': ['nodeA', 'nodeB', ...people],
  'watch runtimeclasses': ['nodeA', 'nodeB', ...people],
  'create runtimeclasses': ['admin'],
  'update runtimeclasses': ['admin'],
  'patch runtimeclasses': ['admin'],
  'delete runtimeclasses': ['admin'],
  'deletecollection runtimeclasses': ['admin'],

  'get zones': people,
  'list zones': people,
  'watch zones': people,
  'patch zones': ['operator', 'admin'],

  'get fleets': people,
  'list fleets': people,
  'watch fleets': people,
  'patch fleets': ['operator', 'admin'],

  ...cellsAccess,
  ...explanationsAccess,
}

// ---- who -------------------------------------------------------------------------------------

const BOOTSTRAP = 'bbbbbb.bbbbbbbbbbbbbbbb'
let signers: Readonly<Record<'node' | 'admin' | 'foreign', Signer>>
let tokens: Record<string, string>

const uidOfA = '00000000-0000-4000-8000-000000000001'
const uidOfB = '00000000-0000-4000-8000-000000000002'
const nodeClaims = (name: string, nodeUid: string) => ({
  user: `system:node:${name}`,
  groups: ['system:nodes'],
  nodeUid,
})

beforeAll(async () => {
  signers = {
    node: await newSigner('node'),
    admin: await newSigner('admin'),
    foreign: await newSigner('admin'),
  }
  const sign = async (by: keyof typeof signers, wish: object) => {
    const base = { ...issued, tokenId: 't', nowMs: START_MS, lifetimeSeconds: 600, groups: [] }
    return (await signToken(signers[by], { user: 'x', ...base, ...wish })).token
  }
  const masters = { user: 'root', groups: ['system:masters'] }
  const [, claims] = (await sign('admin', masters)).split('.')
  tokens = {
    expired: await sign('admin', { ...masters, nowMs: START_MS - 3_600_000 }),
    wrongKey: await sign('foreign', masters),
    wrongAudience: await sign('admin', { ...masters, audience: 'elsewhere' }),
    algNone: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`,
    bootstrap: BOOTSTRAP,
    joining: await sign('node', { user: 'system:node:c', groups: ['leasehold:joining'] }),
    nodeA: await sign('node', nodeClaims('a', uidOfA)),
    nodeB: await sign('node', nodeClaims('b', uidOfB)),
    viewer: await sign('admin', { user: 'vera', groups: ['leasehold:viewers'] }),
    operator: await sign('admin', { user: 'oleg', groups: ['leasehold:operators'] }),
    leaseUser: await sign('admin', { user: 'app', groups: ['leasehold:lease-users:shop'] }),
    admin: await sign('admin', masters),
  }
})

// ---- what ------------------------------------------------------------------------------------

const owner = { apiVersion: 'v1', kind: 'Node', name: 'a', uid: uidOfA }
const nodeLease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', namespace: 'kube-node-lease', ownerReferences: [owner] },
  spec: { holderIdentity: 'a_m', leaseDurationSeconds: 40 },
}
const pod = (name: string, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', ...metadata },
  spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i' }] },
})
const event = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'shop' },
  involvedObject: { kind: 'Pod', namespace: 'shop', name: 'p' },
  source: { component: 'kubelet', host: 'a' },
  reason: 'R',
  type: 'Normal',
})
const eventV1 = (name: string) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name, namespace: 'shop' },
  regarding: { kind: 'Pod', namespace: 'shop', name: 'p' },
  eventTime: '2026-01-02T03:04:05.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'a',
  action: 'Try',
  reason: 'R',
  type: 'Normal',
})
const locked = (name: string) => ({
  ...nodeLease,
  metadata: { name, namespace: 'shop' },
})

const named = (apiVersion: string, kind: string, name: string, rest: object) => ({
  apiVersion,
  kind,
  metadata: { name },
  ...rest,
})
const csiNode = (name: string) =>
  named('storage.k8s.io/v1', 'CSINode', name, { spec: { drivers: [] } })

interface Place {
  readonly base: string
  readonly name: string
  /** Sent on create. */
  readonly fresh: object
}

const coordination = '/apis/coordination.k8s.io/v1/namespaces'
const places: Readonly<Record<string, Place>> = {
  nodes: {
    base: '/api/v1/nodes',
    name: 'a',
    fresh: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c' } },
  },
  leases: { base: `${coordination}/kube-node-lease/leases`, name: 'a', fresh: nodeLease },
  'leases in shop': {
    base: `${coordination}/shop/leases`,
    name: 'leader',
    fresh: locked('another'),
  },
  pods: {
    base: '/api/v1/namespaces/shop/pods',
    name: 'p',
    fresh: pod('mirror', {
      annotations: { 'kubernetes.io/config.mirror': 'x' },
      ownerReferences: [{ ...owner, controller: true }],
    }),
  },
  events: { base: '/api/v1/namespaces/shop/events', name: 'e', fresh: event('another') },
  'events.events.k8s.io': {
    base: '/apis/events.k8s.io/v1/namespaces/shop/events',
    name: 'newer',
    fresh: eventV1('another'),
  },
  namespaces: {
    base: '/api/v1/namespaces',
    name: 'shop',
    fresh: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'another' } },
  },
  services: {
    base: '/api/v1/namespaces/shop/services',
    name: 's',
    fresh: named('v1', 'Service', 'other', { spec: { ports: [{ port: 80 }] } }),
  },
  csinodes: {
    base: '/apis/storage.k8s.io/v1/csinodes',
    name: 'a',
    fresh: csiNode('a'),
  },
  csidrivers: {
    base: '/apis/storage.k8s.io/v1/csidrivers',
    name: 'd.example.com',
    fresh: named('storage.k8s.io/v1', 'CSIDriver', 'other.example.com', { spec: {} }),
  },
  runtimeclasses: {
    base: '/apis/node.k8s.io/v1/runtimeclasses',
    name: 'r',
    fresh: named('node.k8s.io/v1', 'RuntimeClass', 'other', { handler: 'runc' }),
  },
  zones: { base: '/apis/leasehold.dev/v1/zones', name: 'z', fresh: {} },
  fleets: { base: '/apis/leasehold.dev/v1/fleets', name: 'fleet', fresh: {} },
  ...cellsPlace,
  ...explanationsPlace,
}

const bodies: Readonly<Record<string, object>> = {
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': {
    spec: { resourceAttributes: { verb: 'get', resource: 'nodes' } },
  },
  '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews': { spec: { namespace: 'shop' } },
  'pods/eviction': { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } },
  'pods/binding': {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: 'p' },
    target: { kind: 'Node', name: 'a' },
  },
}

async function newWorld(): Promise<World> {
  const clock = () => START_MS
  const store = memoryStore({ clock })
  const keys = keySet(
    async () => ({
      keys: [signers.node, signers.admin].map(({ publicJwk, role }) => ({ ...publicJwk, role })),
    }),
    () => {},
  )
  const authenticator = createAuthenticator({
    ...issued,
    keys,
    records: store.records,
    onTrouble: () => {},
  })
  const access = { authenticator, authorizer: createAuthorizer(), clock }
  const issuer = { ...issued, store, signer: async () => signers.node, newId: () => 'new' }
  const routes = [
    tokenRoute({ ...access, issuer }),
    ...bootstrapTokenRoutes({ ...access, store, randomInt: () => 2 }),
  ]
  const admission = createAdmission(
    async (name) => (await store.objects.get('nodes', { namespace: '', name }))?.object,
  )
  const watch = () => new Response('')
  const made = world({ store, authenticator, admission, routes, watch })
  await createBootstrapToken(store, { groups: [] }, { nowMs: START_MS, randomInt: () => 1 })
  await seed(made)
  return made
}

async function seed({ call }: World): Promise<void> {
  const as = tokens.admin!
  const objects: [keyof typeof places, object][] = [
    ['nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }],
    ['nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'b' } }],
    ['namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }],
    ['leases', nodeLease],
    ['leases in shop', locked('leader')],
    ['pods', pod('p')],
    ['events', event('e')],
    ['events.events.k8s.io', eventV1('newer')],
    ['services', named('v1', 'Service', 's', { spec: { ports: [{ port: 80 }] } })],
    ['csinodes', csiNode('a')],
    ['csidrivers', named('storage.k8s.io/v1', 'CSIDriver', 'd.example.com', { spec: {} })],
    ['runtimeclasses', named('node.k8s.io/v1', 'RuntimeClass', 'r', { handler: 'runc' })],
  ]
  for (const [place, body] of objects) {
    const { status, text } = await call('POST', places[place]!.base, { as, body })
    expect(status, text).toBe(201)
  }
}

// ---- asking ----------------------------------------------------------------------------------

const pathValues: Readonly<Record<string, string>> = {
  ':group': 'coordination.k8s.io',
  ':version': 'v1',
  ':name': 'a',
  ':id': 'bbbbbb',
  '*': 'api/v1',
}

/** `GET /path` or `verb resource[/subresource][ in shop]`, as one request. */
async function ask(made: World, row: string, as: string | null): Promise<number> {
  const [verb = '', what = ''] = row.split(' ')
  if (what.startsWith('/')) return askPath(made, verb, what, as)
  const [plural = '', subresource] = what.split('/')
  const place = places[row.endsWith(' in shop') ? `${plural} in shop` : plural]!
  const object = `${place.base}/${place.name}${subresource ? `/${subresource}` : ''}`
  const send = async (method: string, path: string, body?: unknown) =>
    (await made.call(method, path, { as, body })).status

  if (verb === 'get') return send('GET', object)
  if (verb === 'list') return send('GET', place.base)
  if (verb === 'watch') return send('GET', `${place.base}?watch=true`)
  if (verb === 'delete') return send('DELETE', object)
  if (verb === 'deletecollection') return send('DELETE', place.base)
  if (verb === 'create') {
    return subresource ? send('POST', object, bodies[what]) : send('POST', place.base, place.fresh)
  }
  if (verb === 'patch') return send('PATCH', object, { metadata: { annotations: { x: 'y' } } })
  const stored = await made.call('GET', `${place.base}/${place.name}`, { as: tokens.admin! })
  return send('PUT', object, stored.body)
}

async function askPath(made: World, method: string, pattern: string, as: string | null) {
  const path = pattern.replaceAll(/:\w+|\*/g, (part) => pathValues[part] ?? part)
  const isRemoval = pattern.endsWith(':id')
  const sent = method === 'ALL' ? (isRemoval ? 'DELETE' : 'POST') : method
  const body = sent === 'POST' ? (bodies[path] ?? {}) : undefined
  return (await made.call(sent, path, { as, body })).status
}

const char = (code: number) => String.fromCharCode(code)

describe('everybody, everywhere', () => {
  it.each(Object.entries(table))('%s', async (row, expected) => {
    let made = await newWorld()
    const statuses: Record<string, number> = {}
    for (const who of [...strangers, ...known]) {
      const status = await ask(made, row, who === 'none' ? null : tokens[who]!)
      statuses[who] = status
      expect(status, `${who}: ${row}`).toBeLessThan(500)
      const changed = status < 300 && !/^(GET|get|list|watch) /.test(row)
      if (changed) made = await newWorld()
    }
    const refusedBy = (code: number) => (who: string) => statuses[who] === code
    const expected401 = expected === open ? [] : strangers
    expect(strangers.filter(refusedBy(401)), JSON.stringify(statuses)).toEqual(expected401)
    const through = known.filter((who) => statuses[who] !== 401 && statuses[who] !== 403)
    const mayPass = known.filter((who) => expected === open || expected.includes(who))
    expect(through, JSON.stringify(statuses)).toEqual(mayPass)
    // Let through means served: a request refused for its form would prove nothing.
    const served = through.filter((who) => [200, 201, 404, 409].includes(statuses[who]!))
    expect(served, JSON.stringify(statuses)).toEqual(through)
  })

  it('answers 401 to whatever header is made up', async () => {
    const made = await newWorld()
    const printable = fc.string({ unit: fc.integer({ min: 33, max: 126 }).map(char) })
    const header = fc.tuple(fc.constantFrom('Bearer ', 'bearer', '', 'Basic '), printable)
    await fc.assert(
      fc.asyncProperty(header, async ([scheme, rest]) => {
        const headers = { authorization: `${scheme}${rest}` }
        const { status } = await made.call('GET', '/api/v1/nodes', { as: null, headers })
        return status === 401
      }),
      { numRuns: 300 },
    )
  })

  it('has a row for every route and every verb', async () => {
    const { app } = await newWorld()
    const paths = app.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !['ALL /api/*', 'ALL /apis/*'].includes(route))
    const verbs = resources.flatMap(({ plural, group, storedForm, verbs: main, subresources }) => {
      const resource = storedForm ? `${plural}.${group}` : plural
      return [
        ...main.map((verb) => `${verb} ${resource}`),
        ...subresources.flatMap(({ name, verbs: own }) =>
          own.map((verb) => `${verb} ${resource}/${name}`),
        ),
      ]
    })
    const rows = Object.keys(table).filter((row) => !row.endsWith(' in shop'))
    expect(rows.toSorted()).toEqual([...new Set([...paths, ...verbs])].toSorted())
  })
})
