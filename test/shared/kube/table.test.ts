import { describe, expect, it } from 'vitest'
import { leases } from '../../../shared/kube/lease/resource.ts'
import type { Lease } from '../../../shared/kube/objects.ts'
import { toTable } from '../../../shared/kube/table.ts'

const lease: Lease = {
  metadata: { name: 'a', namespace: 'ns', resourceVersion: '7', labels: { x: 'y' } },
  spec: { holderIdentity: 'me' },
}
const request = { resource: leases, objects: [lease], nowMs: 0 }

describe('toTable', () => {
  it('describes its columns and carries the list metadata', () => {
    const table = toTable({ ...request, metadata: { resourceVersion: '9', continue: 'next' } })
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '9', continue: 'next' },
    })
    expect(table.columnDefinitions?.[0]).toEqual({
      ...{ name: 'Name', type: 'string', format: 'name', priority: 0 },
      description: expect.any(String),
    })
  })

  it('leaves the columns out of later frames', () => {
    expect(toTable({ ...request, columnDefinitions: false }).columnDefinitions).toBeNull()
  })

  it('keeps its rows an array when there are none', () => {
    expect(toTable({ ...request, objects: [] }).rows).toEqual([])
  })

  it.each([
    { include: 'None', object: null },
    {
      include: 'Metadata',
      object: {
        ...{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
        metadata: lease.metadata,
      },
    },
    {
      include: 'Object',
      object: { ...lease, kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' },
    },
  ] as const)('with includeObject=$include a row holds that much', ({ include, object }) => {
    expect(toTable({ ...request, includeObject: include }).rows[0]?.object).toEqual(object)
  })

  it('speaks the older version throughout when asked to', () => {
    const table = toTable({ ...request, apiVersion: 'meta.k8s.io/v1beta1' })
    expect(table.apiVersion).toBe('meta.k8s.io/v1beta1')
    expect(table.rows[0]?.object?.apiVersion).toBe('meta.k8s.io/v1beta1')
  })
})
