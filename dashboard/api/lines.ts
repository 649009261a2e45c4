/**
 * A watch is one JSON object per line; chunks of the network end anywhere, even inside a
 * character.
 */

export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts.filter((line) => line !== '')
  }
  // What was cut off in the middle is no event; the next watch brings it again.
}

/** Safari cannot iterate a stream itself. */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
