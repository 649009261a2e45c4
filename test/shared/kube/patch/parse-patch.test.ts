import { describe, expect, it } from 'vitest'
import { parsePatch } from '../../../../shared/kube/patch/parse-patch.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

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
    expect(await parsePatch(bytes(text), contentType)).toMatchObject({ type, patch })
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
