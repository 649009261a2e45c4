import { describe, expect, it } from 'vitest'
import { runtimeClasses } from '../../../../shared/kube/runtimeclass/resource.ts'
import { create, pairs, update } from '../resource-writes.ts'

describe('a RuntimeClass', () => {
  it.each([
    { one: { handler: 'runc' }, errors: [] },
    { one: {}, errors: ['handler Required'] },
    { one: { handler: 'Not a label' }, errors: ['handler Invalid'] },
    {
      one: { handler: 'runc', scheduling: { nodeSelector: { 'a b': 'c' } } },
      errors: ['scheduling.nodeSelector Invalid'],
    },
    {
      one: { handler: 'runc', scheduling: { tolerations: [{ key: 'a' }, { key: 'a' }] } },
      errors: ['scheduling.tolerations[1] Duplicate'],
    },
  ])('with $one: $errors', ({ one, errors }) => {
    expect(pairs(create(runtimeClasses, { metadata: { name: 'r' }, ...one }).errors)).toEqual(
      errors,
    )
  })

  it('keeps its handler', () => {
    const old = { metadata: { name: 'r', resourceVersion: '1' }, handler: 'runc' }
    const object = { ...old, handler: 'crun' }
    expect(pairs(update(runtimeClasses, { object, old }).errors)).toEqual(['handler Invalid'])
  })
})
