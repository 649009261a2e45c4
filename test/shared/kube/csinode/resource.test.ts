import { describe, expect, it } from 'vitest'
import { csiNodes } from '../../../../shared/kube/csinode/resource.ts'
import { create, pairs, update } from '../resource-writes.ts'

const driver = { name: 'd.example.com', nodeID: 'n-1', topologyKeys: ['example.com/zone'] }
const node = (...drivers: object[]) => ({ metadata: { name: 'n1' }, spec: { drivers } })

describe('a CSINode', () => {
  it.each([
    { when: 'it has no drivers', drivers: [], errors: [] },
    { when: 'it has one', drivers: [driver], errors: [] },
    {
      when: 'a driver is nameless',
      drivers: [{ nodeID: 'x' }],
      errors: ['spec.drivers[0].name Required'],
    },
    {
      when: 'a driver has a long name',
      drivers: [{ ...driver, name: 'a'.repeat(64) }],
      errors: ['spec.drivers[0].name TooLong'],
    },
    {
      when: 'a driver names no node',
      drivers: [{ name: 'a' }],
      errors: ['spec.drivers[0].nodeID Required'],
    },
    {
      when: 'a driver is there twice',
      drivers: [driver, driver],
      errors: ['spec.drivers[1].name Duplicate'],
    },
    {
      when: 'a key is none',
      drivers: [{ ...driver, topologyKeys: ['a b'] }],
      errors: ['spec.drivers[0] Invalid'],
    },
    {
      when: 'it takes less than nothing',
      drivers: [{ ...driver, allocatable: { count: -1 } }],
      errors: ['spec.drivers[0].allocatable.count Invalid'],
    },
  ])('when $when: $errors', ({ drivers, errors }) => {
    expect(pairs(create(csiNodes, node(...drivers)).errors)).toEqual(errors)
  })

  it('changes what a driver takes, and nothing else of it', () => {
    const at = { metadata: { name: 'n1', resourceVersion: '1' } }
    const old = { ...node(driver), ...at }
    const to = (next: object) =>
      pairs(update(csiNodes, { object: { ...node(next), ...at }, old }).errors)
    expect(to({ ...driver, allocatable: { count: 3 } })).toEqual([])
    expect(to({ ...driver, nodeID: 'n-2' })).toEqual(['spec.drivers Invalid'])
    expect(to({ name: 'other', nodeID: 'n-2' })).toEqual([])
  })
})
