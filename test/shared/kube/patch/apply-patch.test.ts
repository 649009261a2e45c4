import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodeSchema } from '../../../../shared/kube/node/schema.ts'
import { applyPatch } from '../../../../shared/kube/patch/apply-patch.ts'
import type { PatchType } from '../../../../shared/kube/patch/parse-patch.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { looseObject, looseValue } from '../loose-object.ts'

const document = { spec: { taints: [{ key: 'a' }] }, status: { conditions: [{ type: 'A' }] } }

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

describe('applyPatch', () => {
  it.each<{ type: PatchType; patch: unknown; result: object }>([
    { type: 'json', patch: [{ op: 'remove', path: '/spec' }], result: { status: document.status } },
    {
      type: 'merge',
      patch: { status: { conditions: [{ type: 'B' }] } },
      result: { ...document, status: { conditions: [{ type: 'B' }] } },
    },
    {
      type: 'strategic',
      patch: { status: { conditions: [{ type: 'B' }] } },
      result: { ...document, status: { conditions: [{ type: 'A' }, { type: 'B' }] } },
    },
    {
      type: 'apply',
      patch: { spec: { taints: [] } },
      result: { ...document, spec: { taints: [] } },
    },
  ])('applies a $type patch', ({ type, patch, result }) => {
    expect(applyPatch({ type, document, patch, schema: nodeSchema })).toEqual(result)
  })

  it.each<{ type: PatchType; patch: unknown }>([
    { type: 'strategic', patch: [] },
    { type: 'apply', patch: 'x' },
    { type: 'merge', patch: nested(65) },
    { type: 'json', patch: [{ op: 'add', path: '/spec/a', value: nested(63) }] },
  ])('refuses a $type patch that is no object or nests too deep', ({ type, patch }) => {
    expect(() => applyPatch({ type, document, patch, schema: nodeSchema })).toThrow(
      expect.objectContaining({ code: 400 }),
    )
  })

  it('throws nothing but a StatusError', () => {
    const types = fc.constantFrom<PatchType>('json', 'merge', 'strategic', 'apply')
    fc.assert(
      fc.property(types, looseObject, looseValue, (type, before, patch) => {
        try {
          applyPatch({ type, document: before, patch, schema: nodeSchema })
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError)
        }
      }),
    )
  })
})
