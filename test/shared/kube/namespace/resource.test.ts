import { describe, expect, it } from 'vitest'
import { namespaces } from '../../../../shared/kube/namespace/resource.ts'
import type { Namespace } from '../../../../shared/kube/objects.ts'
import { toTable } from '../../../../shared/kube/table.ts'
import { create, pairs, update } from '../resource-writes.ts'

describe('a namespace', () => {
  const { stored, errors } = create(namespaces, { metadata: { name: 'jobs' } })

  it('is active, guarded and named by a label from the start', () => {
    expect(errors).toEqual([])
    expect(stored).toEqual({
      metadata: { name: 'jobs', labels: { 'kubernetes.io/metadata.name': 'jobs' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
  })

  it('keeps its label, finalizers and phase through an update', () => {
    const object: Namespace = { metadata: { name: 'jobs', labels: { a: 'b' } }, spec: {} }
    expect(update(namespaces, { object, old: stored }).stored).toEqual({
      metadata: { name: 'jobs', labels: { a: 'b', 'kubernetes.io/metadata.name': 'jobs' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
  })

  it.each(['a.b', 'Jobs', 'x'.repeat(64)])('cannot be named %s', (name) => {
    expect(pairs(create(namespaces, { metadata: { name } }).errors)).toContain(
      'metadata.name Invalid',
    )
  })

  it('is a line with its phase', () => {
    const table = toTable({ resource: namespaces, objects: [stored], nowMs: 0 })
    expect(table.rows[0]?.cells).toEqual(['jobs', 'Active', '<unknown>'])
  })
})
