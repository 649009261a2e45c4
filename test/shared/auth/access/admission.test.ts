import { describe, expect, it } from 'vitest'
import { createAdmission, decideAdmission } from '../../../../shared/auth/access/admission.ts'
import type { AdmissionRequest } from '../../../../shared/auth/access/admission-verdict.ts'
import type { KubeObject, ObjectMeta } from '../../../../shared/kube/objects.ts'

const nodeA = { user: 'system:node:a', groups: ['system:nodes'], nodeUid: 'uid-1' }
const joiningA = { user: 'system:node:a', groups: ['leasehold:joining'] }
const operator = { user: 'oleg', groups: ['leasehold:operators'] }
const admin = { user: 'root', groups: ['system:masters'] }
const leaseUser = { user: 'app', groups: ['leasehold:lease-users:shop'] }

const nodes = { group: '', plural: 'nodes', kind: 'Node' }
const leases = { group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' }
const pods = { group: '', plural: 'pods', kind: 'Pod' }
const meta = (metadata: ObjectMeta): KubeObject => ({ metadata: { name: 'a', ...metadata } })
const owned = (uid: string) =>
  meta({ ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'a', uid }] })

const updatesNode = {
  operation: 'update',
  resource: nodes,
  key: { namespace: '', name: 'a' },
} as const
const createsNode = { ...updatesNode, operation: 'create' } as const
const ofLease = { resource: leases, key: { namespace: 'kube-node-lease', name: 'a' } } as const

type Row = { when: string; kind: string; subresource?: string } & Omit<
  AdmissionRequest,
  'subresource'
>
const judge = ({ when: _, kind, ...request }: Row) =>
  expect(decideAdmission({ subresource: '', ...request }).kind).toBe(kind)

describe('keys by which people steer', () => {
  const plain = meta({ uid: 'uid-1' })
  const steered = meta({ uid: 'uid-1', annotations: { 'leasehold.dev/maintenance-until': 'x' } })
  const labelled = meta({ uid: 'uid-1', labels: { 'zones.leasehold.dev/pause': 'x' } })
  const spoken = meta({ uid: 'uid-1', annotations: { 'agent.leasehold.dev/version': '1' } })

  it.each<Row>([
    {
      when: 'a node sets one',
      identity: nodeA,
      ...updatesNode,
      object: steered,
      old: plain,
      kind: 'forbidden',
    },
    {
      when: 'a node removes one',
      identity: nodeA,
      ...updatesNode,
      object: plain,
      old: steered,
      kind: 'forbidden',
    },
    {
      when: 'a node sends one back unchanged',
      identity: nodeA,
      ...updatesNode,
      object: steered,
      old: steered,
      kind: 'allowed',
    },
    {
      when: 'a node sets a label below the domain',
      identity: nodeA,
      ...updatesNode,
      object: labelled,
      old: plain,
      kind: 'forbidden',
    },
    {
      when: 'a node speaks with its own prefix',
      identity: nodeA,
      ...updatesNode,
      object: spoken,
      old: plain,
      kind: 'allowed',
    },
    {
      when: 'a joining host brings one',
      identity: joiningA,
      ...createsNode,
      object: steered,
      kind: 'forbidden',
    },
    {
      when: 'an operator sets one',
      identity: operator,
      ...updatesNode,
      object: steered,
      old: plain,
      kind: 'allowed',
    },
    {
      when: 'an administrator sets one',
      identity: admin,
      ...updatesNode,
      object: steered,
      old: plain,
      kind: 'allowed',
    },
    {
      when: 'a lease user sets one',
      identity: leaseUser,
      operation: 'create',
      resource: leases,
      key: { namespace: 'shop', name: 'a' },
      object: steered,
      kind: 'forbidden',
    },
  ])('$when: $kind', judge)
})

describe('a token and the Node it was issued for', () => {
  it.each<Row>([
    {
      when: 'the Node is the same',
      identity: nodeA,
      ...updatesNode,
      object: meta({}),
      old: meta({ uid: 'uid-1' }),
      kind: 'allowed',
    },
    {
      when: 'the Node is another',
      identity: nodeA,
      ...updatesNode,
      object: meta({}),
      old: meta({ uid: 'uid-2' }),
      kind: 'forbidden',
    },
    {
      when: 'a node makes its Node anew',
      identity: nodeA,
      ...createsNode,
      object: meta({}),
      kind: 'forbidden',
    },
    {
      when: 'a joining host makes its Node',
      identity: joiningA,
      ...createsNode,
      object: meta({}),
      kind: 'allowed',
    },
    {
      when: 'a joining host makes another Node',
      identity: joiningA,
      ...createsNode,
      object: meta({ name: 'b' }),
      kind: 'forbidden',
    },
    {
      when: 'a lease is made with the right owner',
      identity: nodeA,
      operation: 'create',
      ...ofLease,
      object: owned('uid-1'),
      kind: 'allowed',
    },
    {
      when: 'a lease is made with another owner',
      identity: nodeA,
      operation: 'create',
      ...ofLease,
      object: owned('uid-2'),
      kind: 'forbidden',
    },
    {
      when: 'a lease is made without an owner',
      identity: nodeA,
      operation: 'create',
      ...ofLease,
      object: meta({}),
      kind: 'forbidden',
    },
    {
      when: 'a lease of the next Node is changed',
      identity: nodeA,
      operation: 'update',
      ...ofLease,
      object: owned('uid-1'),
      old: owned('uid-2'),
      kind: 'forbidden',
    },
    {
      when: 'a lease of the next Node is deleted',
      identity: nodeA,
      operation: 'delete',
      ...ofLease,
      old: owned('uid-2'),
      kind: 'forbidden',
    },
    {
      when: 'a lease is given to another',
      identity: nodeA,
      operation: 'update',
      ...ofLease,
      object: owned('uid-2'),
      old: owned('uid-1'),
      kind: 'forbidden',
    },
    {
      when: 'a renewal reads nothing',
      identity: nodeA,
      operation: 'update',
      ...ofLease,
      object: meta({}),
      kind: 'allowed',
    },
  ])('$when: $kind', judge)
})

describe('the pods of a node', () => {
  const bound = (nodeName: string, labels = {}): KubeObject =>
    ({ metadata: { name: 'p', labels }, spec: { nodeName } }) as KubeObject

  it.each<Pick<Row, 'when' | 'kind' | 'operation' | 'subresource' | 'object' | 'old'>>([
    { when: 'it deletes its own', operation: 'delete', old: bound('a'), kind: 'allowed' },
    { when: 'it deletes another', operation: 'delete', old: bound('b'), kind: 'forbidden' },
    { when: 'it deletes one nobody has', operation: 'delete', kind: 'notFound' },
    {
      when: 'it changes the spec of its own',
      operation: 'update',
      object: bound('a'),
      old: bound('a'),
      kind: 'forbidden',
    },
    {
      when: 'it reports on its own',
      operation: 'update',
      subresource: 'status',
      object: bound('a'),
      old: bound('a'),
      kind: 'allowed',
    },
    {
      when: 'it labels its own with the report',
      operation: 'update',
      subresource: 'status',
      object: bound('a', { x: 'y' }),
      old: bound('a'),
      kind: 'forbidden',
    },
    {
      when: 'it evicts its own',
      operation: 'create',
      subresource: 'eviction',
      old: bound('a'),
      kind: 'allowed',
    },
    {
      when: 'it evicts another',
      operation: 'create',
      subresource: 'eviction',
      old: bound('b'),
      kind: 'forbidden',
    },
    {
      when: 'it evicts one nobody has',
      operation: 'create',
      subresource: 'eviction',
      kind: 'notFound',
    },
    {
      when: 'it takes an eviction back',
      operation: 'delete',
      subresource: 'eviction',
      old: bound('a'),
      kind: 'forbidden',
    },
    {
      when: 'it binds one',
      operation: 'update',
      subresource: 'binding',
      object: bound('a'),
      old: bound(''),
      kind: 'forbidden',
    },
  ])('$when: $kind', (row) => {
    judge({ identity: nodeA, resource: pods, key: { namespace: 'shop', name: 'p' }, ...row })
  })
})

describe('mirror pods may not name other objects', () => {
  const mirror = (spec: object): KubeObject =>
    ({
      metadata: {
        name: 'p',
        annotations: { 'kubernetes.io/config.mirror': 'x' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Node', name: 'a', uid: 'uid-1', controller: true },
        ],
      },
      spec: { nodeName: 'a', ...spec },
    }) as KubeObject
  const env = (name: string) => [{ env: [{ name: 'X', valueFrom: { [name]: { key: 'k' } } }] }]

  it.each([
    {
      when: 'it names nothing',
      spec: { containers: [{ name: 'c', env: [{ name: 'X', value: '1' }] }] },
      kind: 'allowed',
    },
    {
      when: 'it mounts a host path',
      spec: { volumes: [{ name: 'v', hostPath: {} }] },
      kind: 'allowed',
    },
    {
      when: 'it mounts a secret',
      spec: { volumes: [{ name: 'v', secret: {} }] },
      kind: 'forbidden',
    },
    {
      when: 'it mounts a config map',
      spec: { volumes: [{ name: 'v', configMap: {} }] },
      kind: 'forbidden',
    },
    {
      when: 'it claims a volume',
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: {} }] },
      kind: 'forbidden',
    },
    {
      when: 'it mounts a file share with a key',
      spec: { volumes: [{ name: 'v', azureFile: {} }] },
      kind: 'forbidden',
    },
    {
      when: 'its ephemeral container reads a secret',
      spec: { ephemeralContainers: env('secretKeyRef') },
      kind: 'forbidden',
    },
    {
      when: 'it pulls with a secret',
      spec: { imagePullSecrets: [{ name: 's' }] },
      kind: 'forbidden',
    },
    {
      when: 'it reads a secret into its environment',
      spec: { containers: env('secretKeyRef') },
      kind: 'forbidden',
    },
    {
      when: 'its init container reads a config map',
      spec: { initContainers: env('configMapKeyRef') },
      kind: 'forbidden',
    },
    {
      when: 'it takes its environment from elsewhere',
      spec: { containers: [{ envFrom: [{}] }] },
      kind: 'forbidden',
    },
  ])('$when: $kind', ({ spec, kind }) => {
    const node = meta({ uid: 'uid-1' })
    const key = { namespace: 'shop', name: 'p' }
    judge({
      when: '',
      kind,
      identity: nodeA,
      operation: 'create',
      resource: pods,
      key,
      object: mirror(spec),
      node,
    })
  })
})

describe('as a step of the api', () => {
  const request: AdmissionRequest = {
    identity: nodeA,
    ...updatesNode,
    subresource: '',
    key: { namespace: '', name: 'b' },
    object: meta({ name: 'b' }),
    old: meta({ name: 'b' }),
  }

  it('throws the 403 the client is to see', async () => {
    await expect(createAdmission(async () => undefined)(request)).rejects.toMatchObject({
      code: 403,
      message: 'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
    })
  })

  const events = { group: '', plural: 'events', kind: 'Event' }
  const own = { ...meta({}), spec: { nodeName: 'a' } }

  it.each([
    { what: 'ends a pod', operation: 'delete', resource: pods, subresource: '', old: own },
    {
      what: 'reports a pod',
      operation: 'update',
      resource: pods,
      subresource: 'status',
      object: own,
      old: own,
    },
    {
      what: 'evicts a pod',
      operation: 'create',
      resource: pods,
      subresource: 'eviction',
      old: own,
    },
    {
      what: 'tells an Event',
      operation: 'create',
      resource: events,
      subresource: '',
      object: { ...meta({}), source: { host: 'a' } },
    },
  ] as const)(
    'ends with its Node the right of a token that $what',
    async ({ what: _, ...does }) => {
      const asked = { identity: nodeA, key: { namespace: 'shop', name: 'a' }, ...does }
      const asks = (node: KubeObject | undefined) => createAdmission(async () => node)(asked)
      await asks(meta({ uid: 'uid-1' }))
      await expect(asks(meta({ uid: 'uid-2' }))).rejects.toMatchObject({ code: 403 })
      await expect(asks(undefined)).rejects.toMatchObject({ code: 403 })
    },
  )

  it('reads the Node only when a node writes a pod or an Event', async () => {
    const read: string[] = []
    const readNode = async (name: string) => void read.push(name)
    const enforce = createAdmission(readNode as (name: string) => Promise<undefined>)
    await enforce({ ...request, identity: operator })
    await enforce({
      ...request,
      key: { namespace: '', name: 'a' },
      object: meta({}),
      old: meta({ uid: 'uid-1' }),
    })
    expect(read).toEqual([])
    const makesPod = {
      identity: nodeA,
      operation: 'create',
      resource: pods,
      subresource: '',
    } as const
    const refused = enforce({ ...makesPod, key: { namespace: 'shop', name: '' }, object: meta({}) })
    await expect(refused).rejects.toMatchObject({ code: 403 })
    expect(read).toEqual(['a'])
  })
})
