/** The JavaScript client, unmodified: every resource, every patch, leases, evictions, errors. */
import {
  ApiException,
  AuthenticationV1Api,
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubernetesObjectApi,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../eventually.ts'
import { type InProcessSystem, startInProcess } from '../local-system/in-process.ts'
import { kubeConfigFor } from './client-node.ts'

let system: InProcessSystem
let core: CoreV1Api
let coordination: CoordinationV1Api
let objects: KubernetesObjectApi
let custom: CustomObjectsApi

beforeAll(async () => {
  system = await startInProcess()
  const config = kubeConfigFor(system)
  core = config.makeApiClient(CoreV1Api)
  coordination = config.makeApiClient(CoordinationV1Api)
  objects = KubernetesObjectApi.makeApiClient(config)
  custom = config.makeApiClient(CustomObjectsApi)
})
afterAll(() => system?.stop())

const as = (strategy: string) => setHeaderOptions('Content-Type', strategy)
const namespace = 'default'
const containers = [{ name: 'main', image: 'busybox' }]

describe('the life of an object', () => {
  it('node', async () => {
    const created = await core.createNode({ body: { metadata: { name: 'life' } } })
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const read = await core.readNode({ name: 'life' })
    expect(read.metadata?.uid).toBe(created.metadata?.uid)
    const next = { ...read, spec: { ...read.spec, unschedulable: true } }
    // The monitor writes nodes too: after a conflict the node is read again, as clients do.
    const replaced = await core.replaceNode({ name: 'life', body: next }).catch(async () => {
      const again = await core.readNode({ name: 'life' })
      return core.replaceNode({ name: 'life', body: { ...again, spec: next.spec } })
    })
    expect(replaced.spec?.unschedulable).toBe(true)
    await refused(core.replaceNode({ name: 'life', body: next }), 409, 'Conflict')
    const listed = await core.listNode({ fieldSelector: 'metadata.name=life' })
    expect(listed.items.map(({ metadata }) => metadata?.name)).toEqual(['life'])
    const deleted = await core.deleteNode({ name: 'life' })
    expect(deleted).toMatchObject({ kind: 'Status', status: 'Success' })
    await refused(core.readNode({ name: 'life' }), 404, 'NotFound')
  })

  it('node status, apart from its spec', async () => {
    await core.createNode({ body: { metadata: { name: 'status' } } })
    const read = await core.readNodeStatus({ name: 'status' })
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date() }]
    const body = { ...read, spec: { unschedulable: true }, status: { ...read.status, conditions } }
    const replaced = await core.replaceNodeStatus({ name: 'status', body })
    expect(replaced.status?.conditions?.[0]?.status).toBe('True')
    expect(replaced.spec?.unschedulable).toBeUndefined()
  })

  it('namespace', async () => {
    const made = await core.createNamespace({ body: { metadata: { name: 'life' } } })
    expect(made.status?.phase).toBe('Active')
    const { items } = await core.listNamespace()
    const names = items.map(({ metadata }) => metadata?.name)
    expect(names).toEqual(expect.arrayContaining(['default', 'kube-node-lease', 'life']))
    const [read] = items.filter(({ metadata }) => metadata?.name === 'life')
    const body = { ...read!, metadata: { ...read!.metadata, labels: { a: 'b' } } }
    await core.replaceNamespace({ name: 'life', body })
    await core.deleteNamespace({ name: 'life' })
    // The monitor empties it and then removes it.
    const phase = () => core.readNamespace({ name: 'life' }).then(({ status }) => status?.phase)
    await eventually(
      'the namespace is gone',
      async () => (await phase().catch(() => 'gone')) === 'gone',
    )
    await refused(core.readNamespace({ name: 'life' }), 404, 'NotFound')
  })

  it('event', async () => {
    const involvedObject = { kind: 'Node', name: 'life', apiVersion: 'v1' }
    const body = { metadata: { generateName: 'life.' }, involvedObject, reason: 'Born', count: 1 }
    const created = await core.createNamespacedEvent({ namespace, body })
    const name = created.metadata.name!
    const counted = await core.patchNamespacedEvent(
      { name, namespace, body: { count: 2, lastTimestamp: '2026-01-02T03:04:05Z' } },
      as(PatchStrategy.StrategicMergePatch),
    )
    expect(counted.count).toBe(2)
    const selected = await core.listEventForAllNamespaces({
      fieldSelector: 'involvedObject.name=life,reason=Born',
    })
    expect(selected.items).toHaveLength(1)
    await core.deleteNamespacedEvent({ name, namespace })
  })

  it('pod, bound, running, evicted', async () => {
    await core.createNode({ body: { metadata: { name: 'host' } } })
    const body = { metadata: { name: 'life' }, spec: { containers } }
    const created = await core.createNamespacedPod({ namespace, body })
    expect(created.status?.phase).toBe('Pending')
    const binding = { metadata: { name: 'life' }, target: { kind: 'Node', name: 'host' } }
    await core.createNamespacedPodBinding({ name: 'life', namespace, body: binding })
    const running = { status: { phase: 'Running', podIP: '10.0.0.9' } }
    const patch = { name: 'life', namespace, body: running }
    await core.patchNamespacedPodStatus(patch, as(PatchStrategy.StrategicMergePatch))
    const onHost = await core.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName=host' })
    expect(onHost.items[0]?.status?.phase).toBe('Running')

    const eviction = { metadata: { name: 'life', namespace } }
    await core.createNamespacedPodEviction({ name: 'life', namespace, body: eviction })
    const ending = await core.readNamespacedPod({ name: 'life', namespace })
    expect(ending.metadata?.deletionTimestamp).toBeInstanceOf(Date)
    await core.deleteNamespacedPod({ name: 'life', namespace, gracePeriodSeconds: 0 })
    await refused(core.readNamespacedPod({ name: 'life', namespace }), 404, 'NotFound')
  })

  it('lease', async () => {
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 60, renewTime: new V1MicroTime() }
    const body = { metadata: { name: 'life' }, spec }
    const created = await coordination.createNamespacedLease({ namespace, body })
    expect(String(created.spec?.renewTime)).not.toBe('')
    const renewed = await coordination.replaceNamespacedLease({
      name: 'life',
      namespace,
      body: { ...created, spec: { ...created.spec, renewTime: new V1MicroTime() } },
    })
    expect(renewed.metadata?.resourceVersion).not.toBe(created.metadata?.resourceVersion)
    const stolen = { ...renewed, spec: { ...renewed.spec, holderIdentity: 'b' } }
    const steal = coordination.replaceNamespacedLease({ name: 'life', namespace, body: stolen })
    await refused(steal, 409, 'Conflict')
    await coordination.deleteNamespacedLease({ name: 'life', namespace })
    const { items } = await coordination.listNamespacedLease({ namespace })
    expect(items).toEqual([])
  })
})

describe('patches', () => {
  const name = 'patched'
  const labels = async () => (await core.readNode({ name })).metadata?.labels
  beforeAll(async () => {
    await core.createNode({ body: { metadata: { name, labels: { a: '1' } } } })
  })

  it.each([
    {
      how: PatchStrategy.JsonPatch,
      body: [{ op: 'add', path: '/metadata/labels/json', value: 'x' }],
      label: 'json',
    },
    {
      how: PatchStrategy.MergePatch,
      body: { metadata: { labels: { merge: 'x' } } },
      label: 'merge',
    },
    {
      how: PatchStrategy.StrategicMergePatch,
      body: { metadata: { labels: { strategic: 'x' } } },
      label: 'strategic',
    },
    {
      how: PatchStrategy.ServerSideApply,
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { apply: 'x' } } },
      label: 'apply',
    },
  ])('$how', async ({ how, body, label }) => {
    const fieldManager = how === PatchStrategy.ServerSideApply ? 'suite' : undefined
    await core.patchNode({ name, body, fieldManager }, as(how))
    expect(await labels()).toMatchObject({ a: '1', [label]: 'x' })
  })

  it('is a JSON patch when nothing is said', async () => {
    await core.patchNode({ name, body: [{ op: 'remove', path: '/metadata/labels/a' }] })
    expect(await labels()).not.toHaveProperty('a')
  })

  it('leaves things as they are in a dry run', async () => {
    const body = { metadata: { labels: { dry: 'x' } } }
    await core.patchNode({ name, body, dryRun: 'All' }, as(PatchStrategy.MergePatch))
    expect(await labels()).not.toHaveProperty('dry')
  })
})

describe('beside the resources', () => {
  it('finds its way by discovery', async () => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'found' } }
    await objects.create(node)
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
    await objects.create({ ...lease, metadata: { name: 'found', namespace } })
    const { items } = await objects.list(lease.apiVersion, lease.kind, namespace)
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['found'])
    await objects.delete({ ...lease, metadata: { name: 'found', namespace } })
    await objects.delete(node)
  })

  it('says who and what it is', async () => {
    const config = kubeConfigFor(system)
    expect((await config.makeApiClient(VersionApi).getCode()).major).toBe('1')
    const authentication = config.makeApiClient(AuthenticationV1Api)
    const review = await authentication.createSelfSubjectReview({ body: {} })
    expect(review.status?.userInfo?.username).toBe('admin')
    const authorization = config.makeApiClient(AuthorizationV1Api)
    const resourceAttributes = { verb: 'list', resource: 'nodes' }
    const asked = { body: { spec: { resourceAttributes } } }
    const answer = await authorization.createSelfSubjectAccessReview(asked)
    expect(answer.status?.allowed).toBe(true)
  })

  it('is told no in a Status', async () => {
    const nobody = kubeConfigFor({ ...system, token: 'not.a.token' }).makeApiClient(CoreV1Api)
    // What comes with a 401 the generated client throws away.
    await refused(nobody.listNode(), 401, undefined)
    const twice = { body: { metadata: { name: 'twice' } } }
    await core.createNode(twice)
    await refused(core.createNode(twice), 409, 'AlreadyExists')
    await refused(core.createNode({ body: { metadata: { name: 'No' } } }), 422, 'Invalid')
    // Zones are the monitor's own.
    const zone = { group: 'leasehold.dev', version: 'v1', plural: 'zones', name: 'a' }
    await refused(custom.deleteClusterCustomObject(zone), 405, 'MethodNotAllowed')
  })

  it('leaves no error in the log of the server', () => {
    expect(system.errors).toEqual([])
  })
})

async function refused(call: Promise<unknown>, code: number, reason: string | undefined) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiException)
  const { code: got, body } = error as ApiException<string | undefined>
  expect({ code: got, reason: JSON.parse(body ?? '{}').reason }).toEqual({ code, reason })
}
