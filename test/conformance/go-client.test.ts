/**
 * What unmodified Go clients send: protobuf bodies, protobuf first in Accept, and answers read as
 * the JSON they are.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventSchema } from '../../shared/kube/event/schema.ts'
import { leases } from '../../shared/kube/lease/resource.ts'
import { deleteOptionsSchema } from '../../shared/kube/meta/delete-options-schema.ts'
import { namespaces } from '../../shared/kube/namespace/resource.ts'
import { nodeSchema } from '../../shared/kube/node/schema.ts'
import { evictionSchema } from '../../shared/kube/pod/subresource-schemas.ts'
import { reviews } from '../../shared/kube/review/resource.ts'
import type { ObjectSchema } from '../../shared/kube/schema.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'
import { encodeProtobuf } from '../shared/kube/protobuf/encode.ts'

const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const headers = { accept: `${PROTOBUF},application/json`, 'user-agent': 'go-client/v0.36' }
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases'

let system: InProcessSystem
beforeAll(async () => {
  system = await startInProcess()
})
afterAll(() => system?.stop())

const send = (method: string, path: string, schema: ObjectSchema, object: object) => {
  const body = encodeProtobuf(schema, object as Record<string, unknown>)
  return system.http.call(method, path, { body, type: PROTOBUF, headers })
}
const read = (path: string) => system.http.call('GET', path, { headers })
const lease = (metadata: object, spec: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata,
  spec,
})

describe('leader election of client-go', () => {
  it('creates, renews, releases and takes with bodies in protobuf', async () => {
    const first = {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T03:04:05.678901Z',
      renewTime: '2026-01-02T03:04:05.678901Z',
      leaseTransitions: 0,
    }
    const body = lease({ name: 'lock', namespace: 'default' }, first)
    const created = await send('POST', LEASES, leases.schema, body)
    expect(created).toMatchObject({ status: 201, body: { kind: 'Lease', spec: first } })
    expect(created.headers['content-type']).toBe('application/json')

    const renewTime = '2026-01-02T03:04:15.000001Z'
    const renewed = await send('PUT', `${LEASES}/lock`, leases.schema, {
      ...created.body,
      spec: { ...created.body.spec, renewTime },
    })
    expect(renewed).toMatchObject({ status: 200, body: { spec: { ...first, renewTime } } })
    const stale = await send('PUT', `${LEASES}/lock`, leases.schema, created.body)
    expect(stale).toMatchObject({ status: 409, body: { reason: 'Conflict' } })

    const empty = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 }
    const released = await send('PUT', `${LEASES}/lock`, leases.schema, {
      ...renewed.body,
      spec: { ...renewed.body.spec, ...empty },
    })
    expect(released).toMatchObject({ status: 200, body: { spec: { holderIdentity: '' } } })
    const taken = await send('PUT', `${LEASES}/lock`, leases.schema, {
      ...released.body,
      spec: { ...released.body.spec, holderIdentity: 'b', leaseDurationSeconds: 15 },
    })
    expect(taken).toMatchObject({ status: 200, body: { spec: { leaseTransitions: 1 } } })
  })

  it('is told when a lease it holds was deleted', async () => {
    const body = lease({ name: 'gone' }, { holderIdentity: 'a', leaseDurationSeconds: 15 })
    const created = await send('POST', LEASES, leases.schema, body)
    const preconditions = { uid: created.body.metadata.uid }
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions }
    const path = `${LEASES}/gone`
    const wrong = { ...options, preconditions: { uid: '11111111-2222-3333-4444-555555555555' } }
    expect((await send('DELETE', path, deleteOptionsSchema, wrong)).status).toBe(409)
    expect((await send('DELETE', path, deleteOptionsSchema, options)).status).toBe(200)
    // 409 and not 201: the kubelet then looks again at once instead of failing five times.
    expect((await send('PUT', path, leases.schema, created.body)).status).toBe(409)
  })
})

describe('a kubelet', () => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'k-1', labels: { 'kubernetes.io/hostname': 'k-1' } },
    spec: { providerID: 'rack://1' },
    status: {
      capacity: { cpu: '4', memory: '8Gi' },
      conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'new' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    },
  }

  it('registers, twice, and mends its labels through its status', async () => {
    const created = await send('POST', '/api/v1/nodes', nodeSchema, node)
    expect(created).toMatchObject({ status: 201, body: { status: node.status } })
    const again = await send('POST', '/api/v1/nodes', nodeSchema, node)
    expect(again).toMatchObject({ status: 409, body: { reason: 'AlreadyExists' } })
    const patch = {
      metadata: { labels: { 'beta.kubernetes.io/os': 'linux' } },
      status: {
        '$setElementOrder/conditions': [{ type: 'Ready' }],
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'Hostname', address: 'k-1' }, { $patch: 'replace' }],
      },
    }
    const type = 'application/strategic-merge-patch+json'
    const sent = { body: patch, type, headers }
    const patched = await system.http.call('PATCH', '/api/v1/nodes/k-1/status', sent)
    expect(patched).toMatchObject({
      status: 200,
      body: {
        metadata: { labels: { 'beta.kubernetes.io/os': 'linux', 'kubernetes.io/hostname': 'k-1' } },
        status: {
          conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletNotReady' }],
          addresses: [{ type: 'Hostname', address: 'k-1' }],
        },
      },
    })
  })

  it('keeps its lease with whole bodies, managedFields and all', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'
    const owner = (await read('/api/v1/nodes/k-1')).body.metadata.uid
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: 'k-1', uid: owner }]
    const managedFields = [
      {
        manager: 'kubelet',
        operation: 'Update',
        apiVersion: 'coordination.k8s.io/v1',
        time: '2026-01-02T03:04:05Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': {} },
      },
    ]
    const spec = { holderIdentity: 'k-1', leaseDurationSeconds: 40 }
    const body = lease({ name: 'k-1', namespace: 'kube-node-lease', ownerReferences }, spec)
    const created = await send('POST', `${path}?timeout=10s`, leases.schema, body)
    expect(created.status).toBe(201)
    const beat = { ...spec, renewTime: '2026-01-02T03:04:05.000000Z' }
    const metadata = { ...created.body.metadata, managedFields }
    const put = await send('PUT', `${path}/k-1?timeout=10s`, leases.schema, lease(metadata, beat))
    expect(put).toMatchObject({ status: 200, body: { spec: beat, metadata: { ownerReferences } } })
    expect(put.body.metadata.managedFields).toBeUndefined()
  })
})

describe('others', () => {
  it('namespace and event', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'go' } }
    const made = await send('POST', '/api/v1/namespaces', namespaces.schema, namespace)
    expect(made).toMatchObject({ status: 201, body: { status: { phase: 'Active' } } })
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', namespace: 'go' },
      involvedObject: { kind: 'Pod', namespace: 'go', name: 'p' },
      reason: 'Up',
      firstTimestamp: '2026-01-02T03:04:05Z',
      count: 1,
    }
    const told = await send('POST', '/api/v1/namespaces/go/events', eventSchema, event)
    expect(told).toMatchObject({ status: 201, body: { reason: 'Up', count: 1 } })
  })

  it.each(reviews)('$kind', async ({ group, plural, kind, schema }) => {
    const apiVersion = `${group}/v1`
    const spec: Record<string, object> = {
      SelfSubjectAccessReview: { resourceAttributes: { verb: 'get', resource: 'nodes' } },
      SelfSubjectRulesReview: { namespace: 'default' },
    }
    const review = { apiVersion, kind, ...(spec[kind] && { spec: spec[kind] }) }
    const answer = await send('POST', `/apis/${apiVersion}/${plural}`, schema, review)
    expect(answer).toMatchObject({ status: 201, body: { kind, apiVersion } })
    expect(answer.body.status).toBeTypeOf('object')
  })

  it('evicts in protobuf, and is told what to set for a pod', async () => {
    const pods = '/api/v1/namespaces/default/pods'
    const spec = { containers: [{ name: 'm', image: 'i' }] }
    await system.http.call('POST', pods, { body: { metadata: { name: 'p' }, spec } })
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }
    const evicted = await send('POST', `${pods}/p/eviction`, evictionSchema, eviction)
    expect(evicted).toMatchObject({ status: 201, body: { status: 'Success' } })
    const refused = await send('POST', pods, namespaces.schema, { apiVersion: 'v1', kind: 'Pod' })
    expect(refused).toMatchObject({
      status: 415,
      body: { message: expect.stringContaining('application/json') },
    })
  })

  it.each([
    { what: 'a list', path: '/api/v1/nodes?limit=500&resourceVersion=0', kind: 'NodeList' },
    { what: 'an object', path: '/api/v1/nodes/k-1', kind: 'Node' },
  ])('reads $what in JSON although protobuf stands first', async ({ path, kind }) => {
    const answer = await read(path)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.body.kind).toBe(kind)
  })

  it('metadata informers get metadata', async () => {
    const as = (type: string, kind: string) => `${type};as=${kind};g=meta.k8s.io;v=v1`
    const kind = 'PartialObjectMetadataList'
    const accept = `${as(PROTOBUF, kind)},${as('application/json', kind)},application/json`
    const { body } = await system.http.call('GET', '/api/v1/nodes', { headers: { accept } })
    expect(body).toMatchObject({ kind, apiVersion: 'meta.k8s.io/v1' })
    expect(Object.keys(body.items[0])).not.toContain('spec')
  })
})
