/**
 * A connection can die without a word, and then a read of it waits for ever, while other requests
 * come and go and the page looks alive. What is silent for too long is given up.
 */
export interface Ear {
  /** Ends what is listened to, by the outer signal or by silence. */
  readonly signal: AbortSignal
  /** The same chunks; each one is a sign of life. */
  through<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, void>
  heardNothing(): boolean
  end(): void
}

export function ear(outer: AbortSignal, longestMs: number): Ear {
  const silence = new AbortController()
  const giveUp = () => silence.abort()
  let timer = setTimeout(giveUp, longestMs)
  return {
    signal: AbortSignal.any([outer, silence.signal]),
    async *through(chunks) {
      for await (const chunk of chunks) {
        clearTimeout(timer)
        timer = setTimeout(giveUp, longestMs)
        yield chunk
      }
    },
    heardNothing: () => silence.signal.aborted,
    end: () => clearTimeout(timer),
  }
}
