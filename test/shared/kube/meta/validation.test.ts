import { describe, expect, it } from 'vitest'
import { subdomainName } from '../../../../shared/kube/meta/names.ts'
import {
  validateCoreMetadataUpdate,
  validateMetadata,
  validateMetadataUpdate,
} from '../../../../shared/kube/meta/validation.ts'
import type { ObjectMeta } from '../../../../shared/kube/objects.ts'
import { pairs } from '../resource-writes.ts'

const judge = (meta: ObjectMeta, standardFinalizers = true) =>
  validateMetadata(
    { name: 'a', ...meta },
    { namespaced: false, name: subdomainName, standardFinalizers },
  )
const texts = (meta: ObjectMeta) => judge(meta).map((one) => `${one.field}: ${one.message}`)

describe('metadata', () => {
  it.each<{ when: string; meta: ObjectMeta; errors: readonly string[] }>([
    { when: 'all is well', meta: { labels: { 'a/b': 'c' }, finalizers: ['a.b/c'] }, errors: [] },
    {
      when: 'a cluster-wide object names a namespace',
      meta: { namespace: 'x' },
      errors: ['metadata.namespace Forbidden'],
    },
    {
      when: 'annotations are one byte too many',
      meta: { annotations: { a: 'b'.repeat(262_144) } },
      errors: ['metadata.annotations TooLong'],
    },
    {
      when: 'annotations fit in characters but not in bytes',
      meta: { annotations: { a: 'ä'.repeat(131_072) } },
      errors: ['metadata.annotations TooLong'],
    },
    {
      when: 'both collectors are to wait for each other',
      meta: { finalizers: ['orphan', 'foregroundDeletion'] },
      errors: ['metadata.finalizers Invalid'],
    },
    {
      when: 'a finalizer is no name at all',
      meta: { finalizers: ['a b'] },
      errors: ['metadata.finalizers Invalid', 'metadata.finalizers[0] Invalid'],
    },
    {
      when: 'the owner is an event',
      meta: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'e', uid: 'u' }] },
      errors: ['metadata.ownerReferences[0] Invalid'],
    },
    {
      when: 'the version of an owner has too many parts',
      meta: { ownerReferences: [{ apiVersion: 'a/b/c', kind: 'K', name: 'e', uid: 'u' }] },
      errors: ['metadata.ownerReferences[0].apiVersion Invalid'],
    },
    {
      when: 'an entry of managedFields is all wrong',
      meta: {
        managedFields: [
          {
            operation: 'Guess',
            fieldsType: 'V2',
            manager: 'm\u0007',
            subresource: 's'.repeat(257),
          },
        ],
      },
      errors: [
        'metadata.managedFields[0].fieldsType Invalid',
        'metadata.managedFields[0].manager Invalid',
        'metadata.managedFields[0].operation NotSupported',
        'metadata.managedFields[0].subresource TooLong',
      ],
    },
    {
      when: 'an entry of managedFields does not say how',
      meta: { managedFields: [null, { manager: 'm' }] },
      errors: [
        'metadata.managedFields[0].operation Required',
        'metadata.managedFields[1].operation Required',
      ],
    },
    {
      when: 'a generated name would begin with a dash',
      meta: { generateName: '-' },
      errors: ['metadata.generateName Invalid'],
    },
    {
      when: 'a prefix is as long as a prefix with a dash may be',
      meta: { generateName: `${'a'.repeat(253)}-` },
      errors: [],
    },
    {
      when: 'the owner is an event whose group is written out',
      meta: { ownerReferences: [{ apiVersion: '/v1', kind: 'Event', name: 'e', uid: 'u' }] },
      errors: ['metadata.ownerReferences[0] Invalid'],
    },
  ])('when $when', ({ meta, errors }) => {
    expect(pairs(judge(meta))).toEqual(errors)
  })

  it('lets a bare finalizer pass where Kubernetes does', () => {
    expect(judge({ finalizers: ['mine'] }, false)).toEqual([])
  })

  it('speaks as kubectl prints', () => {
    expect(texts({ name: '' })).toEqual([
      'metadata.name: Required value: name or generateName is required',
    ])
    const owners = ['u1', 'u2'].map((uid) => ({
      ...{ apiVersion: 'v1', kind: 'Node', name: uid, uid, controller: true },
    }))
    expect(texts({ ownerReferences: owners })[0]).toMatch(
      /Only one reference can have Controller set to true\. Found "true" in references for Node\/u1 and Node\/u2$/,
    )
    expect(texts({ annotations: { a: 'b'.repeat(262_144) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
  })
})

describe('hostile metadata', () => {
  // A complaint repeats what it complains of; many complaints of one long text would multiply.
  it.each<{ when: string; meta: ObjectMeta }>([
    {
      when: 'ten thousand owners are all in charge',
      meta: {
        ownerReferences: Array.from({ length: 10_000 }, (_, i) => ({
          ...{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: `${i}`, controller: true },
        })),
      },
    },
    {
      when: 'a manager is a megabyte of bells',
      meta: { managedFields: [{ operation: 'Update', manager: '\u0007'.repeat(1_000_000) }] },
    },
  ])('is refused in one short breath when $when', ({ meta }) => {
    expect(judge(meta)).toHaveLength(1)
  })
})

describe('metadata that follows other metadata', () => {
  const old: ObjectMeta = {
    name: 'a',
    uid: 'u',
    generation: 2,
    deletionTimestamp: 't',
    finalizers: ['x/a', 'x/b'],
  }

  it.each<{ when: string; change: ObjectMeta; errors: readonly string[] }>([
    { when: 'nothing changes', change: {}, errors: [] },
    { when: 'a finalizer goes', change: { finalizers: ['x/b'] }, errors: [] },
    {
      when: 'a finalizer comes while it is being deleted',
      change: { finalizers: ['x/c'] },
      errors: ['metadata.finalizers Forbidden'],
    },
    { when: 'it is renamed', change: { name: 'b' }, errors: ['metadata.name Invalid'] },
    {
      when: 'its deletion is moved',
      change: { deletionTimestamp: 'u' },
      errors: ['metadata.deletionTimestamp Invalid'],
    },
    {
      when: 'its generation falls',
      change: { generation: 1 },
      errors: ['metadata.generation Invalid'],
    },
    {
      when: 'it gains a bad label',
      change: { labels: { 'a b': '' } },
      errors: ['metadata.labels Invalid'],
    },
  ])('when $when', ({ change, errors }) => {
    expect(pairs(validateMetadataUpdate({ ...old, ...change }, old))).toEqual(errors)
  })

  it('may gain finalizers while it lives', () => {
    const living = { name: 'a' }
    expect(validateMetadataUpdate({ ...living, finalizers: ['x/a'] }, living)).toEqual([])
  })

  it('gains a finalizer without a domain only outside the core group', () => {
    const next = { name: 'a', finalizers: ['kubernetes', 'mine'] }
    expect(validateMetadataUpdate(next, { name: 'a' })).toEqual([])
    expect(pairs(validateCoreMetadataUpdate(next, { name: 'a' }))).toEqual([
      'metadata.finalizers[1] Invalid',
    ])
  })
})
