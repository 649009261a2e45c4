import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBySchema } from '../../../../shared/kube/decode/object.ts'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { podSchema } from '../../../../shared/kube/pod/schema.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { looseObject, unpolluted } from '../loose-object.ts'

const decodeLease = (spec: unknown) => decodeBySchema(leases.schema, { spec }).object.spec
const decodeNode = (node: object) => decodeBySchema(nodeSchema, node).object

describe('types', () => {
  it.each<{ spec: unknown; says: string }>([
    {
      spec: { leaseDurationSeconds: '40' },
      says: 'cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    },
    {
      spec: { leaseDurationSeconds: 1.5 },
      says: 'cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    },
    {
      spec: { leaseTransitions: 2 ** 31 },
      says: 'cannot unmarshal number 2147483648 into Go struct field LeaseSpec.spec.leaseTransitions of type int32',
    },
    {
      spec: { holderIdentity: { a: 1 } },
      says: 'cannot unmarshal object into Go struct field LeaseSpec.spec.holderIdentity of type string',
    },
    { spec: { renewTime: 5 }, says: 'of type v1.MicroTime' },
    { spec: { renewTime: 'yesterday' }, says: 'parsing time "yesterday" of spec.renewTime' },
    {
      spec: [],
      says: 'cannot unmarshal array into Go struct field Lease.spec of type v1.LeaseSpec',
    },
    { spec: true, says: 'cannot unmarshal bool into' },
  ])('refuses a spec of $spec', ({ spec, says }) => {
    expect(() => decodeLease(spec)).toThrow(
      expect.objectContaining({
        code: 400,
        message: expect.stringMatching(/^Lease in version "v1" cannot be handled as a Lease: /),
      }),
    )
    expect(() => decodeLease(spec)).toThrow(says)
  })

  it.each<{ node: object; says: string }>([
    { node: { spec: { taints: {} } }, says: 'NodeSpec.spec.taints of type []v1.Taint' },
    { node: { spec: { taints: [1] } }, says: 'NodeSpec.spec.taints of type v1.Taint' },
    { node: { spec: { taints: [{}, { key: 1 }] } }, says: 'Taint.spec.taints.key of type string' },
    { node: { metadata: { labels: [] } }, says: 'of type map[string]string' },
    {
      node: { metadata: { labels: { a: 1 } } },
      says: 'ObjectMeta.metadata.labels.a of type string',
    },
    {
      node: { status: { capacity: { cpu: 'lots' } } },
      says: 'status.capacity.cpu: quantities must',
    },
    { node: { status: { capacity: { cpu: true } } }, says: 'of type resource.Quantity' },
    { node: { spec: { unschedulable: 'true' } }, says: 'of type bool' },
    { node: { status: { images: [{ sizeBytes: 2 ** 53 }] } }, says: 'of type int64' },
  ])('names the Go field: $says', ({ node, says }) => {
    expect(() => decodeNode(node)).toThrow(says)
  })
})

describe('forms', () => {
  it('drops nulls of members and reads null elements as zero', () => {
    expect(decodeLease({ holderIdentity: null, renewTime: null })).toEqual({})
    expect(decodeNode({ metadata: { labels: { a: null }, finalizers: [null] } })).toEqual({
      metadata: { labels: { a: '' }, finalizers: [''] },
    })
    const zeros = { spec: { taints: [null] }, status: { capacity: { cpu: null } } }
    expect(decodeNode(zeros)).toEqual({
      spec: { taints: [{}] },
      status: { capacity: { cpu: '0' } },
    })
  })

  it('writes times as they are stored', () => {
    const times = { renewTime: '2024-01-02T03:04:05.1+02:00' }
    expect(decodeLease(times)).toEqual({ renewTime: '2024-01-02T01:04:05.100000Z' })
    const condition = { type: 'Ready', lastHeartbeatTime: '2024-01-02T03:04:05.987Z' }
    expect(decodeNode({ status: { conditions: [condition] } })).toEqual({
      status: { conditions: [{ type: 'Ready', lastHeartbeatTime: '2024-01-02T03:04:05Z' }] },
    })
  })

  it('writes quantities as they are stored, numbers included', () => {
    const capacity = { cpu: 4, memory: '8388608Ki', pods: '110' }
    expect(decodeNode({ status: { capacity } })).toEqual({
      status: { capacity: { cpu: '4', memory: '8Gi', pods: '110' } },
    })
  })

  it('keeps what it does not look into', () => {
    const spec = { affinity: { nodeAffinity: { anything: [1, null, { a: true }] } } }
    expect(decodeBySchema(podSchema, { spec }).object).toEqual({ spec })
  })
})

describe('unknown members', () => {
  it('are dropped, with their paths', () => {
    const { object, unknown } = decodeBySchema(nodeSchema, {
      foo: 1,
      spec: { taints: [{ key: 'a' }, { key: 'b', bar: {} }] },
      metadata: { constructor: 1, toString: 2 },
    })
    expect(object).toEqual({ spec: { taints: [{ key: 'a' }, { key: 'b' }] }, metadata: {} })
    expect(unknown).toEqual([
      'foo',
      'spec.taints[1].bar',
      'metadata.constructor',
      'metadata.toString',
    ])
  })

  it('never reach a prototype', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}',
    )
    const { object, unknown } = decodeBySchema(leases.schema, hostile)
    expect(unknown).toEqual(['__proto__'])
    const { labels } = object.metadata as { labels: object }
    expect(Object.entries(labels)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype)
    unpolluted()
  })
})

describe('laws', () => {
  const schemas = fc.constantFrom(leases.schema, nodeSchema, podSchema)

  it('throws nothing but a StatusError, and leaves its input alone', () => {
    fc.assert(
      fc.property(schemas, looseObject, (schema, value) => {
        const before = JSON.stringify(value)
        try {
          decodeBySchema(schema, value)
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
        expect(JSON.stringify(value)).toBe(before)
        unpolluted()
      }),
    )
  })

  it('has nothing left to do on what it has decoded', () => {
    fc.assert(
      fc.property(schemas, looseObject, (schema, value) => {
        try {
          const once = decodeBySchema(schema, value).object
          expect(decodeBySchema(schema, once)).toEqual({ object: once, unknown: [] })
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
      }),
    )
  })
})

describe('what Go leaves out when it writes', () => {
  it.each([
    { when: 'an empty map', node: { metadata: { annotations: {} } }, kept: { metadata: {} } },
    { when: 'an empty list', node: { spec: { taints: [] } }, kept: { spec: {} } },
    { when: 'false', node: { spec: { unschedulable: false } }, kept: { spec: {} } },
    { when: 'no text', node: { spec: { podCIDR: '' } }, kept: { spec: {} } },
    { when: 'an empty object', node: { spec: {} }, kept: { spec: {} } },
    {
      when: 'a required member',
      node: { status: { conditions: [{ type: 'Ready', status: '' }] } },
      kept: { status: { conditions: [{ type: 'Ready', status: '' }] } },
    },
  ])('$when is kept only as Go would', ({ node, kept }) => {
    expect(decodeNode(node)).toEqual(kept)
  })

  it.each([
    { when: 'a released lease', decoded: decodeLease({ holderIdentity: '' }), zero: '' },
    { when: 'a first holder', decoded: decodeLease({ leaseTransitions: 0 }), zero: 0 },
  ])('keeps the zero of a pointer: $when', ({ decoded, zero }) => {
    expect(Object.values(decoded as object)).toEqual([zero])
  })

  it('keeps a zero where it cannot tell', () => {
    const spec = { terminationGracePeriodSeconds: 0, hostNetwork: false }
    expect(decodeBySchema(podSchema, { spec }).object).toEqual({ spec })
  })
})
