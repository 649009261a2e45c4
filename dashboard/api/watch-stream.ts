/**
 * One watch request: opens it, splits the stream into lines and hands the events on in batches.
 * Gives up on a connection that has died unnoticed, on which a read would wait for ever.
 */
import { ApiError, type KubeClient } from './client.ts'
import type { WatchEvent } from './collection.ts'

interface WatchOptions {
  readonly client: KubeClient
  readonly signal: AbortSignal
  /** No bytes for this long: the connection is taken for dead. */
  readonly idleTimeoutMs: number
  readonly onEvents: (events: readonly WatchEvent[]) => void
}

/** `expired`: list again before watching on. `unavailable`: the server serves no watch now. */
type WatchOutcome = 'ended' | 'expired' | 'unavailable'

export async function watchOnce(path: string, options: WatchOptions): Promise<WatchOutcome> {
  const idle = idleTimeout(options.signal, options.idleTimeoutMs)
  const batch = batchEvents(options.onEvents)
  try {
    const stream = await openWatch(path, options.client, idle.signal)
    if (stream === 'unavailable' || stream === 'expired') return stream
    for await (const line of linesOf(idle.restartedBy(chunksOf(stream)))) {
      const event = JSON.parse(line) as WatchEvent
      if (event.type === 'ERROR') return 'expired'
      batch.add(event)
    }
    return 'ended'
  } catch (error) {
    // The next list shows whether the server still answers, and what was missed.
    if (idle.hasFired()) return 'expired'
    throw error
  } finally {
    idle.stop()
    batch.flush()
  }
}

async function openWatch(path: string, client: KubeClient, signal: AbortSignal) {
  try {
    return await client.open(path, signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 410) return 'expired'
    // The server has no watches, or no free slot for one: the caller polls instead.
    if ([405, 429, 503, 504].includes(error.code)) return 'unavailable'
    throw error
  }
}

interface IdleTimeout {
  /** Aborts with the outer signal or on the timeout. */
  readonly signal: AbortSignal
  /** The same chunks; each one restarts the timeout. */
  restartedBy<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, void>
  hasFired(): boolean
  stop(): void
}

function idleTimeout(outer: AbortSignal, timeoutMs: number): IdleTimeout {
  const idle = new AbortController()
  const fire = () => idle.abort()
  let timer = setTimeout(fire, timeoutMs)
  return {
    signal: AbortSignal.any([outer, idle.signal]),
    async *restartedBy(chunks) {
      for await (const chunk of chunks) {
        clearTimeout(timer)
        timer = setTimeout(fire, timeoutMs)
        yield chunk
      }
    },
    hasFired: () => idle.signal.aborted,
    stop: () => clearTimeout(timer),
  }
}

/** Events that arrive within this are drawn together. */
const BATCH_MS = 50

function batchEvents(onEvents: (events: readonly WatchEvent[]) => void) {
  const waiting: WatchEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) onEvents(waiting.splice(0))
  }
  return {
    flush,
    add(event: WatchEvent) {
      waiting.push(event)
      timer ??= setTimeout(flush, BATCH_MS)
    },
  }
}

/** A watch is one JSON object per line; a chunk may end anywhere, even inside a character. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts.filter((line) => line !== '')
  }
  // A last line without its end is dropped; the next watch sends that event again.
}

/** Safari cannot iterate a ReadableStream. */
async function* chunksOf(
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
