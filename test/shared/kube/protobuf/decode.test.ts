import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBySchema } from '../../../../shared/kube/decode/object.ts'
import { eventSchema } from '../../../../shared/kube/event/schema.ts'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { deleteOptionsSchema } from '../../../../shared/kube/meta/delete-options-schema.ts'
import { namespaces } from '../../../../shared/kube/namespace/resource.ts'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { podSchema } from '../../../../shared/kube/pod/schema.ts'
import { evictionSchema } from '../../../../shared/kube/pod/subresource-schemas.ts'
import { decodeProtobuf, speaksProtobuf } from '../../../../shared/kube/protobuf/decode.ts'
import {
  selfSubjectAccessReviewSchema,
  selfSubjectReviewSchema,
  selfSubjectRulesReviewSchema,
} from '../../../../shared/kube/review/schema.ts'
import type { ObjectSchema } from '../../../../shared/kube/schema.ts'
import { services } from '../../../../shared/kube/service/resource.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { encodeProtobuf, writeBytes, writeVarint } from './encode.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'))
const decode = (schema: ObjectSchema, bytes: Uint8Array) => decodeProtobuf(bytes, () => schema)
const roundTrip = (schema: ObjectSchema, object: Record<string, unknown>) =>
  decode(schema, encodeProtobuf(schema, object))

const MAGIC = [0x6b, 0x38, 0x73, 0x00]
const envelope = (raw: readonly number[]) => Uint8Array.from([...MAGIC, ...writeBytes(2, raw)])

const typeOf = (kind: string, apiVersion = 'v1') => ({ apiVersion, kind })

/** Written by hand from the wire format, so that reader and writer cannot agree on a mistake. */
const LEASE_BYTES = hex(`
  6b387300
  0a1f 0a16 636f6f7264696e6174696f6e2e6b38732e696f2f7631 1205 4c65617365
  122e
    0a16 0a0161 1200 1a01 6e 2200 2a00 3200 3800 4200 4a00 7200
    1214 0a00 1028 2209 0885b8cdac06 10e807 2800 3a0178
  1a00 2200
`)

describe('decodeProtobuf', () => {
  it('reads bytes laid out by hand', () => {
    expect(decode(leases.schema, LEASE_BYTES)).toEqual({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a', namespace: 'n', finalizers: [''] },
      spec: {
        holderIdentity: '',
        leaseDurationSeconds: 40,
        renewTime: '2024-01-02T00:42:45.000001Z',
        leaseTransitions: 0,
        preferredHolder: 'x',
      },
    })
  })

  it.each([
    { when: 'a number', port: hex('0800 1050 1a00'), shown: 80 },
    { when: 'a name', port: hex('0801 1000 1a02 7765'), shown: 'we' },
  ])('reads a port that is $when', ({ port, shown }) => {
    const spec = writeBytes(1, [...writeBytes(4, [...port])])
    expect(decode(services.schema, envelope(writeBytes(2, spec)))).toMatchObject({
      spec: { ports: [{ targetPort: shown }] },
    })
  })

  it('asks for the schema of the kind in the envelope', () => {
    const asked: string[][] = []
    const schemaFor = (...names: string[]) => {
      asked.push(names)
      return undefined
    }
    expect(() => decodeProtobuf(LEASE_BYTES, schemaFor)).toThrow('no kind "Lease" is read here')
    expect(asked).toEqual([['coordination.k8s.io/v1', 'Lease']])
  })

  it.each<{ kind: string; schema: ObjectSchema; object: Record<string, unknown> }>([
    {
      kind: 'Node',
      schema: nodeSchema,
      object: {
        ...typeOf('Node'),
        metadata: {
          name: 'n1',
          labels: { a: 'b', empty: '' },
          creationTimestamp: '2024-01-02T03:04:05Z',
          generation: 7,
          deletionGracePeriodSeconds: 0,
          ownerReferences: [
            { apiVersion: 'v1', kind: 'Node', name: 'x', uid: 'u', controller: false },
          ],
          managedFields: [{ manager: 'm', fieldsV1: { 'f:spec': {} } }],
        },
        spec: {
          unschedulable: true,
          podCIDRs: ['10.0.0.0/24', 'fd00::/64'],
          taints: [{ key: 'k', effect: 'NoExecute', timeAdded: '1970-01-01T00:00:00Z' }],
        },
        status: {
          capacity: { cpu: '4', memory: '16393244Ki' },
          conditions: [
            { type: 'Ready', status: 'True', lastHeartbeatTime: '2024-01-02T03:04:05Z' },
          ],
          daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
          nodeInfo: { machineID: 'm', swap: { capacity: 0 } },
          images: [{ names: ['a', 'b'], sizeBytes: 2 ** 40 }],
          runtimeHandlers: [{ features: { userNamespaces: false } }],
        },
      },
    },
    {
      kind: 'Event',
      schema: eventSchema,
      object: {
        ...typeOf('Event'),
        involvedObject: { kind: 'Node', name: 'n1', uid: 'n1' },
        count: -1,
        eventTime: '2024-01-02T03:04:05.000001Z',
        series: {},
      },
    },
    {
      kind: 'Namespace',
      schema: namespaces.schema,
      object: { ...typeOf('Namespace'), spec: { finalizers: ['kubernetes'] } },
    },
    {
      kind: 'DeleteOptions',
      schema: deleteOptionsSchema,
      object: {
        ...typeOf('DeleteOptions'),
        gracePeriodSeconds: 0,
        preconditions: { uid: '' },
        dryRun: ['All'],
      },
    },
    {
      kind: 'Eviction',
      schema: evictionSchema,
      object: { ...typeOf('Eviction', 'policy/v1'), metadata: { name: 'p' }, deleteOptions: {} },
    },
    {
      kind: 'SelfSubjectAccessReview',
      schema: selfSubjectAccessReviewSchema,
      object: {
        ...typeOf('SelfSubjectAccessReview', 'authorization.k8s.io/v1'),
        spec: { resourceAttributes: { verb: 'get', resource: 'nodes' } },
      },
    },
    {
      kind: 'SelfSubjectRulesReview',
      schema: selfSubjectRulesReviewSchema,
      object: {
        ...typeOf('SelfSubjectRulesReview', 'authorization.k8s.io/v1'),
        spec: { namespace: 'x' },
      },
    },
    {
      kind: 'SelfSubjectReview',
      schema: selfSubjectReviewSchema,
      object: typeOf('SelfSubjectReview', 'authentication.k8s.io/v1'),
    },
  ])('reads a $kind as a Go client writes it', ({ schema, object }) => {
    expect(roundTrip(schema, object)).toEqual(object)
    expect(decodeBySchema(schema, object)).toEqual({ object, unknown: [] })
  })

  it.each([
    { when: 'the body is empty', bytes: new Uint8Array() },
    { when: 'the prefix is missing', bytes: hex('0a00') },
    { when: 'the envelope is cut off', bytes: hex('6b387300 0a05 0a') },
    { when: 'a length runs past the end', bytes: envelope([0x0a, 0x7f]) },
    {
      when: 'a length is enormous',
      bytes: envelope([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
    },
    { when: 'a length is negative', bytes: envelope([0x0a, ...Array(9).fill(0xff), 0x01]) },
    { when: 'a number never ends', bytes: envelope(Array(12).fill(0xff)) },
    { when: 'the field number is zero', bytes: envelope([0x02, 0x00]) },
    { when: 'a group is opened', bytes: envelope([0x0b]) },
    { when: 'a message is sent as a number', bytes: envelope(writeVarint(1, 5)) },
    { when: 'a number is sent as bytes', bytes: envelope(writeBytes(2, writeBytes(2, [1]))) },
    { when: 'a text is not UTF-8', bytes: envelope(writeBytes(1, writeBytes(1, [0xff]))) },
    {
      when: 'a time is beyond the calendar',
      bytes: envelope(writeBytes(2, writeBytes(4, writeVarint(1, 2 ** 45)))),
    },
    {
      when: 'the body is compressed',
      bytes: Uint8Array.from([...MAGIC, ...writeBytes(3, [0x67])]),
    },
    { when: 'a fixed field is cut off', bytes: envelope([0x0d, 1, 2]) },
  ])('answers 400 when $when', ({ bytes }) => {
    expect(() => decode(leases.schema, bytes)).toThrow(expect.objectContaining({ code: 400 }))
  })

  it('passes over fields it does not know, of any width', () => {
    const raw = [
      ...writeVarint(99, 1),
      ...writeBytes(98, [1, 2]),
      ...[0x0d, 1, 2, 3, 4],
      ...[0x09, 1, 2, 3, 4, 5, 6, 7, 8],
      ...writeBytes(2, writeBytes(1, [0x61])),
    ]
    expect(decode(leases.schema, envelope(raw)).spec).toEqual({ holderIdentity: 'a' })
  })

  it('keeps a hostile map key a key', () => {
    const object = JSON.parse('{"metadata":{"labels":{"__proto__":"x"}}}')
    const { labels } = roundTrip(leases.schema, object).metadata as { labels: object }
    expect(Object.entries(labels)).toEqual([['__proto__', 'x']])
  })

  it('throws nothing but a StatusError on damaged bytes', () => {
    const at = fc.nat(LEASE_BYTES.length - 1)
    const damage = fc.tuple(at, fc.nat(255))
    fc.assert(
      fc.property(fc.array(damage, { maxLength: 5 }), at, (damages, length) => {
        const bytes = LEASE_BYTES.slice(0, length + 1)
        for (const [index, byte] of damages) bytes[Math.max(index, 4)] = byte
        try {
          decodeBySchema(leases.schema, decode(leases.schema, bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
      }),
      { numRuns: 500 },
    )
  })
})

it('says which kinds can be read', () => {
  expect(speaksProtobuf(leases.schema)).toBe(true)
  expect(speaksProtobuf(selfSubjectReviewSchema)).toBe(true)
  expect(speaksProtobuf(podSchema)).toBe(false)
})
