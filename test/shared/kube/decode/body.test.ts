import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BodyRequest, decodeBody, mediaType } from '../../../../shared/kube/decode/body.ts'
import { decodeBySchema } from '../../../../shared/kube/decode/object.ts'
import { leases } from '../../../../shared/kube/lease/resource.ts'
import { deleteOptionsSchema } from '../../../../shared/kube/meta/delete-options-schema.ts'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { podSchema } from '../../../../shared/kube/pod/schema.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { encodeProtobuf } from '../protobuf/encode.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const coordination = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }

const request = (body: string | Uint8Array, over: Partial<BodyRequest> = {}): BodyRequest => ({
  bytes: typeof body === 'string' ? bytes(body) : body,
  contentType: 'application/json',
  schema: leases.schema,
  expected: coordination,
  fieldValidation: 'Ignore',
  ...over,
})

const lease = {
  ...coordination,
  metadata: { name: 'a', namespace: 'kube-node-lease', labels: { zone: 'z1' } },
  spec: { holderIdentity: '', leaseDurationSeconds: 40, renewTime: '2024-01-02T03:04:05.000006Z' },
}

describe('decodeJsonBody', () => {
  it('reads a lease as it is, an empty holder included', async () => {
    expect((await decodeBody(request(JSON.stringify(lease)))).object).toEqual(lease)
  })

  it('fills in the kind the URL implies', async () => {
    const { object } = await decodeBody(request('{"kind":"","apiVersion":null}'))
    expect(object).toEqual(coordination)
  })

  it.each([
    {
      when: 'the kind is another',
      body: { kind: 'Node', apiVersion: 'v1' },
      says: 'Node in version "v1" cannot be handled as a Lease',
    },
    {
      when: 'the version is another',
      body: { kind: 'Lease', apiVersion: 'v1' },
      says: 'the API version in the data (v1) does not match the expected API version (coordination.k8s.io/v1)',
    },
    {
      when: 'it is a list',
      body: [],
      says: 'json: cannot unmarshal array into Go value of type v1.Lease',
    },
    {
      when: 'it is null',
      body: null,
      says: 'json: cannot unmarshal null into Go value of type v1.Lease',
    },
    {
      when: 'the kind is a number',
      body: { kind: 1 },
      says: 'json: cannot unmarshal number into Go struct field Lease.kind of type string',
    },
  ])('refuses the body with 400 when $when', async ({ body, says }) => {
    await expect(decodeBody(request(JSON.stringify(body)))).rejects.toThrow(
      expect.objectContaining({ code: 400, message: expect.stringContaining(says) }),
    )
  })

  it.each([
    { when: 'it is empty', body: '' },
    { when: 'it is not UTF-8', body: Uint8Array.of(0x22, 0xff, 0x22) },
    { when: 'it is cut off', body: '{"spec":' },
  ])('refuses the body with 400 when $when', async ({ body }) => {
    await expect(decodeBody(request(body))).rejects.toThrow(expect.objectContaining({ code: 400 }))
  })
})

describe('field validation', () => {
  const sloppy = '{"spec":{"foo":1,"holderIdentity":"a","holderIdentity":"b"},"bar":{}}'
  const findings = [
    'unknown field "spec.foo"',
    'unknown field "bar"',
    'duplicate field "spec.holderIdentity"',
  ]

  it('drops in silence when told to ignore, and the last key wins', async () => {
    const { object, warnings } = await decodeBody(request(sloppy))
    expect(object).toEqual({ ...coordination, spec: { holderIdentity: 'b' } })
    expect(warnings).toEqual([])
  })

  it('says what it dropped when told to warn', async () => {
    const { object, warnings } = await decodeBody(request(sloppy, { fieldValidation: 'Warn' }))
    expect(object.spec).toEqual({ holderIdentity: 'b' })
    expect(warnings).toEqual(findings)
  })

  it('refuses when told to be strict', async () => {
    await expect(decodeBody(request(sloppy, { fieldValidation: 'Strict' }))).rejects.toThrow(
      expect.objectContaining({
        code: 400,
        message: expect.stringContaining(`strict decoding error: ${findings.join(', ')}`),
      }),
    )
  })

  it('has nothing to say about a clean body', async () => {
    const strict = request(JSON.stringify(lease), { fieldValidation: 'Strict' })
    expect((await decodeBody(strict)).warnings).toEqual([])
  })
})

describe('decodeBody', () => {
  it.each([
    { type: undefined, body: JSON.stringify(lease) },
    { type: 'application/json; charset=utf-8', body: JSON.stringify(lease) },
    { type: 'APPLICATION/JSON', body: JSON.stringify(lease) },
    { type: 'application/yaml', body: JSON.stringify(lease) },
    { type: 'application/vnd.kubernetes.protobuf', body: encodeProtobuf(leases.schema, lease) },
  ])('reads $type', async ({ type, body }) => {
    expect((await decodeBody(request(body, { contentType: type }))).object).toEqual(lease)
  })

  it.each(['text/html', 'application/cbor', 'application/merge-patch+json'])(
    'answers 415 to %s',
    async (contentType) => {
      await expect(decodeBody(request('{}', { contentType }))).rejects.toMatchObject({ code: 415 })
    },
  )

  it('answers 415 to a pod in protobuf and says what to set', async () => {
    const pod = request(encodeProtobuf(leases.schema, lease), {
      contentType: 'application/vnd.kubernetes.protobuf',
      schema: podSchema,
      expected: { apiVersion: 'v1', kind: 'Pod' },
    })
    await expect(decodeBody(pod)).rejects.toMatchObject({
      code: 415,
      message: expect.stringContaining('ContentType to application/json'),
    })
  })

  it('refuses another kind in protobuf', async () => {
    const node = encodeProtobuf(nodeSchema, { apiVersion: 'v1', kind: 'Node' })
    const asLease = request(node, { contentType: 'application/vnd.kubernetes.protobuf' })
    await expect(decodeBody(asLease)).rejects.toMatchObject({ code: 400 })
  })

  it('takes DeleteOptions under the name of any group', async () => {
    const body = JSON.stringify({
      kind: 'DeleteOptions',
      apiVersion: 'policy/v1',
      gracePeriodSeconds: 0,
    })
    const options = request(body, {
      schema: deleteOptionsSchema,
      expected: { apiVersion: 'v1', kind: 'DeleteOptions', alsoApiVersions: 'any' },
    })
    expect((await decodeBody(options)).object).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
    })
  })

  it('throws nothing but a StatusError, whatever the bytes', async () => {
    const types = fc.constantFrom(
      'application/json',
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'text/plain',
    )
    const body = fc.oneof(fc.uint8Array(), fc.string().map(bytes), fc.json().map(bytes))
    await fc.assert(
      fc.asyncProperty(types, body, async (contentType, anything) => {
        const error = await decodeBody(request(anything, { contentType })).catch((thrown) => thrown)
        if (error instanceof Error) expect(error).toBeInstanceOf(StatusError)
      }),
    )
  })
})

it.each([
  { header: undefined, type: 'application/json' },
  { header: '', type: 'application/json' },
  { header: ' Application/YAML ; q=1', type: 'application/yaml' },
])('reads the content type $header as $type', ({ header, type }) => {
  expect(mediaType(header)).toBe(type)
})

it('exports the object decoder too', () => {
  expect(decodeBySchema(leases.schema, lease).object).toEqual(lease)
})
