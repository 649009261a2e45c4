import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deepEqual } from '../../../shared/kube/json.ts'

describe('deepEqual', () => {
  it.each<{ when: string; a: unknown; b: unknown; equal: boolean }>([
    { when: 'keys are ordered differently', a: { x: 1, y: 2 }, b: { y: 2, x: 1 }, equal: true },
    { when: 'a member is undefined', a: { x: 1, y: undefined }, b: { x: 1 }, equal: true },
    {
      when: 'both lack it in their own way',
      a: { x: undefined },
      b: { y: undefined },
      equal: true,
    },
    { when: 'a member is null', a: { x: null }, b: {}, equal: false },
    { when: 'a member is empty', a: { x: '' }, b: {}, equal: false },
    { when: 'elements are ordered differently', a: [1, 2], b: [2, 1], equal: false },
    { when: 'one list is longer', a: [1], b: [1, undefined], equal: false },
    { when: 'a list meets an object', a: [], b: {}, equal: false },
    { when: 'a number meets its text', a: 1, b: '1', equal: false },
    { when: 'zeros differ in sign', a: 0, b: -0, equal: true },
    { when: 'both are NaN', a: Number.NaN, b: Number.NaN, equal: true },
    {
      when: 'a member is called as an inherited one',
      a: { constructor: Object },
      b: {},
      equal: false,
    },
    {
      when: 'prototypes differ',
      a: Object.assign(Object.create(null), { x: 1 }),
      b: { x: 1 },
      equal: true,
    },
  ])('says $equal when $when', ({ a, b, equal }) => {
    expect(deepEqual(a, b)).toBe(equal)
    expect(deepEqual(b, a)).toBe(equal)
  })

  it('finds a copy equal, and a copy with one more member not', () => {
    const document = fc.dictionary(fc.string(), fc.jsonValue({ depthSize: 'small' }))
    fc.assert(
      fc.property(document, (value) => {
        const copy = structuredClone(value)
        expect(deepEqual(value, copy)).toBe(true)
        expect(deepEqual(value, { ...copy, 'one more': 1 })).toBe('one more' in value)
      }),
    )
  })
})
