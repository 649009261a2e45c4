import { describe, expect, it } from 'vitest'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { deleteOptionsSchema } from '../../../../shared/kube/meta/delete-options-schema.ts'
import { encodeProtobuf } from '../../../shared/kube/protobuf/encode.ts'
import { LEASES, lease, NODES, PODS, world } from '../world.ts'

const type = 'application/vnd.kubernetes.protobuf'
const spec = {
  holderIdentity: 'a',
  leaseDurationSeconds: 40,
  renewTime: '2026-01-02T03:04:05.123456Z',
}

describe('a body', () => {
  it('in protobuf creates, renews and deletes, as Go clients send it', async () => {
    const place = world()
    const encoded = (object: Record<string, unknown>) =>
      new Uint8Array(encodeProtobuf(leases.schema, object))
    const made = await place.call('POST', LEASES, { raw: encoded(lease('a', spec)), type })
    expect([made.status, made.body.spec.renewTime]).toEqual([201, spec.renewTime])
    const renewTime = '2026-01-02T03:04:15.000000Z'
    const next = { ...made.body, spec: { ...made.body.spec, renewTime } }
    const beat = await place.call('PUT', `${LEASES}/a`, { raw: encoded(next), type })
    expect([beat.status, beat.body.spec.renewTime]).toEqual([200, renewTime])
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: made.body.metadata.uid },
    }
    const raw = new Uint8Array(encodeProtobuf(deleteOptionsSchema, options))
    expect((await place.call('DELETE', `${LEASES}/a`, { raw, type })).status).toBe(200)
  })

  it('in YAML creates', async () => {
    const raw =
      'kind: Node\nmetadata:\n  name: a\n  labels: {zone: "1"}\nstatus: {capacity: {cpu: 4}}\n'
    const reply = await world().call('POST', NODES, { raw, type: 'application/yaml' })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.body.status.capacity).toEqual({ cpu: '4' })
  })

  it('of a pod in protobuf is 415 and says what to set', async () => {
    const reply = await world().call('POST', PODS, { raw: 'k8s\0', type })
    expect(reply.status).toBe(415)
    expect(reply.body.message).toContain('application/json')
  })
})
