import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { applyPatch } from '../../../../shared/kube/patch/apply-patch.ts'
import { looseObject, looseValue, unpolluted } from '../loose-object.ts'

const applyMergePatch = (document: unknown, patch: unknown) =>
  applyPatch({ type: 'merge', document, patch, schema: nodeSchema })

describe('applyMergePatch', () => {
  // The examples of RFC 7386, appendix A.
  it.each<{ document: unknown; patch: unknown; result: unknown }>([
    { document: { a: 'b' }, patch: { a: 'c' }, result: { a: 'c' } },
    { document: { a: 'b' }, patch: { b: 'c' }, result: { a: 'b', b: 'c' } },
    { document: { a: 'b' }, patch: { a: null }, result: {} },
    { document: { a: 'b', b: 'c' }, patch: { a: null }, result: { b: 'c' } },
    { document: { a: ['b'] }, patch: { a: 'c' }, result: { a: 'c' } },
    { document: { a: 'c' }, patch: { a: ['b'] }, result: { a: ['b'] } },
    { document: { a: { b: 'c' } }, patch: { a: { b: 'd', c: null } }, result: { a: { b: 'd' } } },
    { document: { a: [{ b: 'c' }] }, patch: { a: [1] }, result: { a: [1] } },
    { document: ['a', 'b'], patch: ['c', 'd'], result: ['c', 'd'] },
    { document: { a: 'b' }, patch: ['c'], result: ['c'] },
    { document: { a: 'foo' }, patch: null, result: null },
    { document: { e: null }, patch: { a: 1 }, result: { e: null, a: 1 } },
    { document: [1, 2], patch: { a: 'b', c: null }, result: { a: 'b' } },
    { document: {}, patch: { a: { bb: { ccc: null } } }, result: { a: { bb: {} } } },
  ])('$document with $patch is $result', ({ document, patch, result }) => {
    expect(applyMergePatch(document, patch)).toEqual(result)
  })

  it('settles at once, and touches neither input nor prototype', () => {
    fc.assert(
      fc.property(looseObject, looseValue, (document, patch) => {
        const texts = JSON.stringify([document, patch])
        const once = applyMergePatch(document, patch)
        expect(applyMergePatch(once, patch)).toEqual(once)
        expect(JSON.stringify([document, patch])).toBe(texts)
        unpolluted()
      }),
    )
  })
})
