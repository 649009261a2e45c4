/** Finding 4: one host must not outgrow the monitor, which keeps all pods in memory. */
import { describe, expect, it } from 'vitest'
import type { Pod } from '../../shared/kube/objects.ts'
import { pods as podResource } from '../../shared/kube/pod/resource.ts'
import { defaultTolerations, runningPod } from '../builders/objects.ts'
import { LEASES, NODES, PODS, pod } from '../functions/api/world.ts'
import { SmallFleet } from '../functions/monitor/small-fleet.ts'
import { type Joined, joinHost, leaseOf, type Service, startService } from './service.ts'

const KB = 1024
const text = (bytes: number) => 'x'.repeat(bytes)

const mirror = ({ name: host, uid }: Joined, name: string, bytes = 0) =>
  pod(
    name,
    { nodeName: host },
    {
      annotations: { 'kubernetes.io/config.mirror': 'x', 'example.com/big': text(bytes) },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: host, uid, controller: true }],
    },
  )
const create = (service: Service, host: Joined, name: string, bytes = 0) =>
  service.call('POST', PODS, { as: host.token, body: mirror(host, name, bytes) })

describe('a host', () => {
  it('reports no pod beyond its share of bytes', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    expect((await create(service, host, 'small', 20 * KB)).status).toBe(201)
    expect((await create(service, host, 'big', 200 * KB)).status).toBe(413)
  })

  it('grows no pod by its status, however large the pod was made by its owner', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const large = pod('large', {
      nodeName: 'a',
      containers: [{ name: 'main', image: 'busybox', args: [text(200 * KB)] }],
    })
    expect((await service.call('POST', PODS, { body: large })).status).toBe(201)
    const report = (bytes: number, metadata = {}) =>
      service.call('PATCH', `${PODS}/large/status`, {
        as: host.token,
        body: { metadata, status: { message: text(bytes) } },
      })
    expect((await report(10 * KB)).status).toBe(200)
    expect((await report(50 * KB)).status).toBe(413)
    const annotations = { 'example.com/big': text(50 * KB) }
    expect((await report(1, { annotations })).status).toBe(413)
  })

  it('reports no more pods than a host can have', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    for (let at = 0; at < 500; at++) {
      const object = runningPod(`p${at}`, 'a', { nowMs: service.clock() })
      const fields = podResource.selectable(object)
      await service.store.commit([{ do: 'createObject', resource: 'pods', object, fields }])
    }
    const refused = await create(service, host, 'one-more')
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain('500 pods')
    const operators = await service.call('POST', PODS, { body: pod('theirs', { nodeName: 'a' }) })
    expect(operators.status).toBe(201)
  })

  it.each([
    { what: 'Event', path: '/api/v1/namespaces/default/events' },
    { what: 'Node', path: `${NODES}/a` },
    { what: 'Lease', path: `${LEASES}/a` },
  ])('writes no $what that its readers would feel', async ({ what, path }) => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const annotations = { 'example.com/big': text(100 * KB) }
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'e', annotations },
      involvedObject: { kind: 'Node', name: 'a', namespace: 'default' },
      source: { host: 'a' },
    }
    const as = host.token
    const answer =
      what === 'Event'
        ? await service.call('POST', path, { as, body: event })
        : await service.call('PATCH', path, { as, body: { metadata: { annotations } } })
    expect([413, 422]).toContain(answer.status)
  })

  it('renews no lease that has grown, by PUT either', async () => {
    const service = await startService()
    const host = await joinHost(service, 'a')
    const found = await service.call('GET', `${LEASES}/a`)
    service.advance(1_000)
    const { spec } = leaseOf(service, host)
    const annotations = { 'example.com/big': text(100 * KB) }
    const metadata = { ...found.body.metadata, annotations }
    const body = { ...found.body, metadata, spec: { ...found.body.spec, ...spec } }
    const answer = await service.call('PUT', `${LEASES}/a`, { as: host.token, body })
    expect([413, 422]).toContain(answer.status)
  })
})

describe('the monitor', () => {
  const PODS_OF_ONE_HOST = 100

  async function fleetWithLargePods() {
    const fleet = new SmallFleet()
    await fleet.addNodes(6, ['a', 'b'])
    const [host = ''] = fleet.names
    for (let at = 0; at < PODS_OF_ONE_HOST; at++) {
      const made = runningPod(`p${at}`, host, { nowMs: fleet.nowMs, uid: fleet.uid() })
      const object: Pod = {
        ...made,
        metadata: { ...made.metadata, annotations: { big: text(300 * KB) }, labels: { app: 'x' } },
        spec: { ...made.spec, tolerations: defaultTolerations(1), hostname: 'kept' },
      }
      const fields = podResource.selectable(object)
      await fleet.must([{ do: 'createObject', resource: 'pods', object, fields }])
    }
    return { fleet, host }
  }

  it('keeps of each pod what it judges and no more', async () => {
    const { fleet } = await fleetWithLargePods()
    await fleet.tick()
    const kept = [...fleet.session.pods.objects.values()]
    expect(kept).toHaveLength(PODS_OF_ONE_HOST)
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(PODS_OF_ONE_HOST * KB)
  })

  it('evicts them whole: what it does not judge is as it was', async () => {
    const { fleet, host } = await fleetWithLargePods()
    const alive = fleet.names.filter((name) => name !== host)
    await fleet.run(120_000, alive)
    const { items } = await fleet.store.objects.list('pods', {})
    expect(items).toHaveLength(PODS_OF_ONE_HOST)
    for (const { object } of items) {
      expect(object.metadata.deletionTimestamp).toBeDefined()
      expect(object.metadata.labels).toEqual({ app: 'x' })
      expect(object.metadata.annotations?.big).toHaveLength(300 * KB)
      expect((object as Pod).spec).toMatchObject({ hostname: 'kept', nodeName: host })
      expect((object as Pod).status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }),
      )
    }
  })
})
