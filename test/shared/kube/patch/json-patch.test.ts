import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyJsonPatch } from '../../../../shared/kube/patch/json-patch.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { looseObject, looseValue, unpolluted } from '../loose-object.ts'

const document = { a: { b: [1, 2, 3] }, 'x/y': 1, 'm~n': 2, '': 3 }
const refusal = (patch: unknown) => {
  try {
    return applyJsonPatch(document, patch)
  } catch (error) {
    return error instanceof StatusError ? error.code : error
  }
}

describe('operations', () => {
  it.each<{ when: string; op: object; result: unknown }>([
    {
      when: 'add sets a member',
      op: { op: 'add', path: '/c', value: 1 },
      result: { ...document, c: 1 },
    },
    {
      when: 'add inserts',
      op: { op: 'add', path: '/a/b/1', value: 9 },
      result: { ...document, a: { b: [1, 9, 2, 3] } },
    },
    {
      when: 'add appends',
      op: { op: 'add', path: '/a/b/-', value: 9 },
      result: { ...document, a: { b: [1, 2, 3, 9] } },
    },
    {
      when: 'add appends at the length',
      op: { op: 'add', path: '/a/b/3', value: 9 },
      result: { ...document, a: { b: [1, 2, 3, 9] } },
    },
    {
      when: 'add replaces the whole',
      op: { op: 'add', path: '', value: { z: 1 } },
      result: { z: 1 },
    },
    {
      when: 'add keeps null',
      op: { op: 'add', path: '/c', value: null },
      result: { ...document, c: null },
    },
    {
      when: 'remove takes an element',
      op: { op: 'remove', path: '/a/b/0' },
      result: { ...document, a: { b: [2, 3] } },
    },
    {
      when: 'a slash is escaped',
      op: { op: 'replace', path: '/x~1y', value: 9 },
      result: { ...document, 'x/y': 9 },
    },
    {
      when: 'a tilde is escaped',
      op: { op: 'replace', path: '/m~0n', value: 9 },
      result: { ...document, 'm~n': 9 },
    },
    {
      when: 'a name is empty',
      op: { op: 'replace', path: '/', value: 9 },
      result: { ...document, '': 9 },
    },
    {
      when: 'replace adds what is missing, as Kubernetes does',
      op: { op: 'replace', path: '/c', value: 1 },
      result: { ...document, c: 1 },
    },
    {
      when: 'replace sets an element',
      op: { op: 'replace', path: '/a/b/2', value: 9 },
      result: { ...document, a: { b: [1, 2, 9] } },
    },
    { when: 'replace takes the whole', op: { op: 'replace', path: '', value: {} }, result: {} },
    {
      when: 'move renames',
      op: { op: 'move', from: '/a/b', path: '/a/c' },
      result: { ...document, a: { c: [1, 2, 3] } },
    },
    {
      when: 'move onto itself is nothing',
      op: { op: 'move', from: '/a', path: '/a' },
      result: document,
    },
    {
      when: 'copy copies',
      op: { op: 'copy', from: '/a', path: '/c' },
      result: { ...document, c: { b: [1, 2, 3] } },
    },
    {
      when: 'test compares by value',
      op: { op: 'test', path: '/a', value: { b: [1, 2, 3] } },
      result: document,
    },
  ])('$when', ({ op, result }) => {
    expect(applyJsonPatch(document, [op])).toEqual(result)
  })

  it('applies one after the other, and copies do not share', () => {
    const patch = [
      { op: 'copy', from: '/a/b', path: '/c' },
      { op: 'add', path: '/c/-', value: 4 },
      { op: 'test', path: '/a/b', value: [1, 2, 3] },
    ]
    expect(applyJsonPatch(document, patch)).toMatchObject({ a: { b: [1, 2, 3] }, c: [1, 2, 3, 4] })
  })
})

describe('refusals', () => {
  it.each<{ when: string; patch: unknown; code: number }>([
    { when: 'it is not a list', patch: {}, code: 400 },
    { when: 'an operation is not an object', patch: [1], code: 400 },
    { when: 'the op is unknown', patch: [{ op: 'toString', path: '' }], code: 400 },
    { when: 'the path is missing', patch: [{ op: 'remove' }], code: 400 },
    { when: 'the path lacks its slash', patch: [{ op: 'remove', path: 'a' }], code: 400 },
    { when: 'the value is missing', patch: [{ op: 'add', path: '/a' }], code: 400 },
    { when: 'from is missing', patch: [{ op: 'copy', path: '/a' }], code: 400 },
    { when: 'a test fails', patch: [{ op: 'test', path: '/a', value: 1 }], code: 422 },
    {
      when: 'a test has nothing to test',
      patch: [{ op: 'test', path: '/q', value: null }],
      code: 422,
    },
    { when: 'nothing is there to remove', patch: [{ op: 'remove', path: '/q' }], code: 422 },
    {
      when: 'an inherited member is removed',
      patch: [{ op: 'remove', path: '/toString' }],
      code: 422,
    },
    { when: 'the whole is removed', patch: [{ op: 'remove', path: '' }], code: 422 },
    { when: 'the parent is missing', patch: [{ op: 'add', path: '/q/r', value: 1 }], code: 422 },
    {
      when: 'the parent is a number',
      patch: [{ op: 'add', path: '/x~1y/r', value: 1 }],
      code: 422,
    },
    {
      when: 'an index is out of range',
      patch: [{ op: 'add', path: '/a/b/4', value: 1 }],
      code: 422,
    },
    { when: 'an index has a leading zero', patch: [{ op: 'remove', path: '/a/b/01' }], code: 422 },
    { when: 'an index is negative', patch: [{ op: 'remove', path: '/a/b/-1' }], code: 422 },
    { when: 'an index is a name', patch: [{ op: 'remove', path: '/a/b/length' }], code: 422 },
    {
      when: 'the end is replaced',
      patch: [{ op: 'replace', path: '/a/b/-', value: 1 }],
      code: 422,
    },
    {
      when: 'a value moves into itself',
      patch: [{ op: 'move', from: '/a', path: '/a/b/0' }],
      code: 422,
    },
    { when: 'a path is endless', patch: [{ op: 'remove', path: '/a'.repeat(100_000) }], code: 422 },
    {
      when: 'there are too many',
      patch: Array(10_001).fill({ op: 'test', path: '', value: 0 }),
      code: 413,
    },
  ])('answers $code when $when', ({ patch, code }) => {
    expect(refusal(patch)).toBe(code)
  })

  it('stops a copy that doubles the document again and again', () => {
    const wide = Array(40).fill({ op: 'copy', from: '/a', path: '/a/b/-' })
    expect([413, 422]).toContain(refusal(wide))
  })

  it('stops inserting at the front of an endless list', () => {
    const add = { op: 'add', path: '/a/b/0', value: 1 }
    const long = { op: 'add', path: '/a/b', value: Array(100_000).fill(0) }
    expect(refusal([long, ...Array(9_000).fill(add)])).toBe(413)
  })

  it('stops a copy that nests the document again and again', () => {
    const deeper = Array(100).fill({ op: 'copy', from: '/a', path: '/a/a' })
    expect(refusal(deeper)).toBe(422)
  })
})

describe('laws', () => {
  const pointer = fc.constantFrom(
    '',
    '/a',
    '/b',
    '/a/b',
    '/a/0',
    '/a/-',
    '/__proto__',
    '/a/__proto__/x',
    '/constructor/prototype',
  )
  const operation = fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'bad'),
    path: pointer,
    from: pointer,
    value: looseValue,
  })

  it('throws nothing but a StatusError and touches neither input nor prototype', () => {
    fc.assert(
      fc.property(looseObject, fc.oneof(fc.array(operation), looseValue), (before, patch) => {
        const texts = JSON.stringify([before, patch])
        try {
          applyJsonPatch(before, patch)
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
        expect(JSON.stringify([before, patch])).toBe(texts)
        unpolluted()
      }),
      { numRuns: 300 },
    )
  })

  it('sets a member called __proto__ as a member', () => {
    const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }])
    expect(Object.keys(result as object)).toEqual(['__proto__'])
    expect('polluted' in (result as object)).toBe(false)
  })
})
