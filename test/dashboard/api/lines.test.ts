import fc from 'fast-check'
import { expect, it } from 'vitest'
import { chunksOf, linesOf } from '../../../dashboard/api/lines.ts'

async function gathered(chunks: readonly Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const lines: string[] = []
  for await (const line of linesOf(chunksOf(stream))) lines.push(line)
  return lines
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places.slice(1).map((end, index) => bytes.slice(places[index], end))
}

it('finds the same lines wherever the network cuts them', async () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((line) => line.replaceAll('\n', ''))
  const lines = fc.array(text.filter((line) => line !== ''))
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat()), async (list, places) => {
      const bytes = new TextEncoder().encode(list.map((line) => `${line}\n`).join(''))
      expect(await gathered(cut(bytes, places))).toEqual(list)
    }),
  )
})

it('leaves out a line that was cut off', async () => {
  expect(await gathered([new TextEncoder().encode('{"a":1}\n{"b":')])).toEqual(['{"a":1}'])
})
