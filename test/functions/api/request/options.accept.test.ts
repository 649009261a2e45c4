import { describe, expect, it } from 'vitest'
import { negotiate } from '../../../../functions/api/request/options.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { NODES, node, world } from '../world.ts'

const none = new URLSearchParams()
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const partial = 'as=PartialObjectMetadata;g=meta.k8s.io;v=v1'

describe('negotiation', () => {
  it.each([
    { accept: null, as: 'object' },
    { accept: 'application/json, */*', as: 'object' },
    { accept: 'application/vnd.kubernetes.protobuf,application/json', as: 'object' },
    { accept: 'application/vnd.kubernetes.protobuf, */*', as: 'object' },
    { accept: 'application/json, */*;q=0.8', as: 'object' },
    { accept: `${table},application/json`, as: 'table' },
    { accept: `application/vnd.kubernetes.protobuf;${partial},application/json`, as: 'metadata' },
    { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io,application/json', as: 'object' },
    { accept: 'application/json;as=constructor;v=v1;g=meta.k8s.io,*/*', as: 'object' },
    { accept: 'text/html,application/json', as: 'object' },
  ])('$accept -> $as', ({ accept, as }) => {
    expect(negotiate(accept, none).as).toBe(as)
  })

  it.each(['text/html', 'image/png, text/*', 'application/json;as=Table;v=v9;g=meta.k8s.io'])(
    '%s -> 406',
    (accept) => {
      expect(() => negotiate(accept, none)).toThrow(StatusError)
    },
  )

  it('is over before anything is written', async () => {
    const place = world()
    const post = (path: string, accept: string) =>
      place.call('POST', path, { body: node('a'), headers: { accept } })
    expect((await post(NODES, 'text/html')).status).toBe(406)
    expect((await post(`${NODES}?includeObject=Some`, table)).status).toBe(400)
    expect((await place.call('GET', `${NODES}/a`)).status).toBe(404)
  })
})

describe('a table', () => {
  it('has one row for one object, and its version', async () => {
    const place = world()
    const { body: made } = await place.call('POST', NODES, { body: node('a') })
    const { body } = await place.call('GET', `${NODES}/a`, { headers: { accept: table } })
    expect([body.kind, body.apiVersion]).toEqual(['Table', 'meta.k8s.io/v1'])
    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
    expect(body.rows).toHaveLength(1)
    expect(body.rows[0].cells[0]).toBe('a')
    expect(body.rows[0].object.kind).toBe('PartialObjectMetadata')
  })

  it.each([
    { includeObject: 'None', kind: undefined },
    { includeObject: 'Metadata', kind: 'PartialObjectMetadata' },
    { includeObject: 'Object', kind: 'Node' },
  ])('of a list includes $includeObject', async ({ includeObject, kind }) => {
    const place = world()
    await place.call('POST', NODES, { body: node('a') })
    const { body } = await place.call('GET', `${NODES}?includeObject=${includeObject}`, {
      headers: { accept: table.replace('v=v1', 'v=v1beta1') },
    })
    expect(body.apiVersion).toBe('meta.k8s.io/v1beta1')
    expect(body.columnDefinitions.length).toBe(body.rows[0].cells.length)
    expect(body.rows[0].object?.kind).toBe(kind)
  })
})

it('metadata alone is sent to those who want no more', async () => {
  const place = world()
  await place.call('POST', NODES, { body: node('a') })
  const headers = { accept: `application/json;${partial}` }
  const one = await place.call('GET', `${NODES}/a`, { headers })
  expect([one.body.kind, one.body.spec]).toEqual(['PartialObjectMetadata', undefined])
  const { body } = await place.call('GET', NODES, { headers })
  expect([body.kind, body.items[0].status]).toEqual(['PartialObjectMetadataList', undefined])
})
