import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyPatch,
  type PatchType,
  parsePatch,
} from '../../../../shared/kube/patch/apply-patch.ts'
import { nodeSchema } from '../../../../shared/kube/schemas/node.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'
import { looseObject, looseValue } from '../loose-object.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
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

describe('parsePatch', () => {
  it.each([
    { contentType: 'application/json-patch+json', type: 'json', text: '[]', patch: [] },
    {
      contentType: 'application/merge-patch+json; charset=utf-8',
      type: 'merge',
      text: '{}',
      patch: {},
    },
    {
      contentType: 'application/strategic-merge-patch+json',
      type: 'strategic',
      text: '{}',
      patch: {},
    },
    {
      contentType: 'application/apply-patch+yaml',
      type: 'apply',
      text: ' {"a":1}',
      patch: { a: 1 },
    },
    { contentType: 'application/apply-patch+yaml', type: 'apply', text: 'a: 1', patch: { a: 1 } },
  ])('reads $contentType', async ({ contentType, type, text, patch }) => {
    expect(await parsePatch(bytes(text), contentType)).toEqual({ type, patch })
  })

  it.each([undefined, 'application/json', 'constructor', 'text/plain'])(
    'answers 415 to %s',
    async (type) => {
      await expect(parsePatch(bytes('{}'), type)).rejects.toMatchObject({ code: 415 })
    },
  )

  it('answers 400 to an empty body', async () => {
    const empty = parsePatch(bytes(''), 'application/merge-patch+json')
    await expect(empty).rejects.toMatchObject({ code: 400 })
  })
})
