import { describe, expect, it } from 'vitest'
import { findResource, resources } from '../../../shared/kube/registry.ts'

describe('the registry', () => {
  it('finds a resource by group and plural, and nothing else', () => {
    expect(findResource('coordination.k8s.io', 'leases')?.kind).toBe('Lease')
    expect(findResource('', 'leases')).toBeUndefined()
    expect(findResource('', 'constructor')).toBeUndefined()
    expect(findResource('leasehold.dev', 'zones')?.verbs).toEqual(['get', 'list', 'patch', 'watch'])
  })

  it.each(resources)('$plural is described consistently', (resource) => {
    const { kind, singular, plural, namespaced, columns } = resource
    expect(singular).toBe(kind.toLowerCase())
    expect([`${singular}s`, `${singular}es`, 'cells']).toContain(plural)
    expect(columns.filter(({ format }) => format === 'name')).toHaveLength(1)
    const fields = Object.keys(resource.selectable({ metadata: {} }))
    expect(fields).toContain('metadata.name')
    expect(fields.includes('metadata.namespace')).toBe(namespaced)
  })

  it.each(resources)('$plural bears an object with nothing but metadata', (resource) => {
    const empty = resource.withDefaults({ metadata: {} })
    for (const column of resource.columns) expect(column.cell(empty, 0)).not.toBeUndefined()
    expect(resource.withDefaults(empty)).toEqual(empty)
    expect(resource.warnings?.(empty) ?? []).toEqual([])
    expect(resource.prepareForUpdate(empty, empty)).toBeDefined()
    const values = Object.values(resource.selectable({ metadata: {} }))
    expect(values.every((value) => typeof value === 'string')).toBe(true)
  })
})
