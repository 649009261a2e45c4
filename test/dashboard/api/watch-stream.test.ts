import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { KubeClient } from '../../../dashboard/api/client.ts'
import { watchOnce } from '../../../dashboard/api/watch-stream.ts'

const lineOf = (name: string) => `${JSON.stringify({ type: 'ADDED', object: { name } })}\n`

/** The names of the objects in the events of a watch that sends these chunks and ends. */
async function namesSeen(chunks: readonly Uint8Array[]): Promise<string[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const names: string[] = []
  const outcome = await watchOnce('/things?watch=true', {
    client: { open: async () => stream } as Partial<KubeClient> as KubeClient,
    signal: new AbortController().signal,
    idleTimeoutMs: 60_000,
    onEvents: (events) =>
      names.push(...events.map(({ object }) => (object as { name?: string }).name ?? '')),
  })
  expect(outcome).toBe('ended')
  return names
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const ends = [0, ...at.map((end) => end % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.slice(1).map((end, index) => bytes.slice(ends[index], end))
}

it('finds the same lines wherever the network cuts them', async () => {
  const lists = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }))
  await fc.assert(
    fc.asyncProperty(lists, fc.array(fc.nat()), async (names, ends) => {
      const bytes = new TextEncoder().encode(names.map(lineOf).join(''))
      expect(await namesSeen(cut(bytes, ends))).toEqual(names)
    }),
  )
})

it('leaves out a line that was cut off', async () => {
  const bytes = new TextEncoder().encode(`${lineOf('a')}${lineOf('b').slice(0, 8)}`)
  expect(await namesSeen([bytes])).toEqual(['a'])
})
