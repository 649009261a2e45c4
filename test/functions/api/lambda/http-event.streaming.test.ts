import { Writable } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import {
  type LambdaStreaming,
  type ResponseHead,
  streamingHandler,
} from '../../../../functions/api/lambda/http-event.ts'
import { NODES, world } from '../world.ts'
import { functionUrlEvent } from './events.ts'

interface Wire {
  readonly stream: Writable
  readonly chunks: string[]
  /** Kept at the first write. */
  readonly begun: Promise<void>
  /** What was to be sent in entry of the first chunk. */
  prelude?: ResponseHead
  /** What the client has seen of it. */
  head?: ResponseHead
}

function newWire(): Wire {
  const chunks: string[] = []
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const stream = new Writable({
    write(chunk, _encoding, done) {
      wire.head ??= wire.prelude
      begin()
      // As in HTTP, a chunk of nothing is not sent.
      if (chunk.length > 0) chunks.push(String(chunk))
      done()
    },
  })
  const wire: Wire = { stream, chunks, begun }
  return wire
}

/** What Lambda's runtime brings: the head travels with the first write, and not without one. */
const runtimeFor = (wire: Wire): LambdaStreaming => ({
  streamifyResponse: (handler) => (event) => handler(event, wire.stream),
  HttpResponseStream: {
    from: (stream, head) => {
      wire.prelude = head
      return stream
    },
  },
})

describe('a Function URL that streams', () => {
  it('sends head and body, and ends', async () => {
    const wire = newWire()
    const handle = streamingHandler(world().entry, runtimeFor(wire))
    await handle(functionUrlEvent({ path: NODES }), {})
    expect(wire.head?.statusCode).toBe(200)
    expect(wire.head?.headers['content-type']).toBe('application/json')
    expect(JSON.parse(wire.chunks.join('')).kind).toBe('NodeList')
    expect(wire.stream.writableFinished).toBe(true)
  })

  it('sends each chunk when it is there, not at the end', async () => {
    const wire = newWire()
    let stream: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        stream = controller
      },
    })
    const handle = streamingHandler({ fetch: () => new Response(body) }, runtimeFor(wire))
    const ended = handle(functionUrlEvent({ path: NODES, query: 'watch=true' }), {})
    const arrived = new Promise<void>((resolve) => {
      const { write } = wire.stream
      wire.stream.write = ((...args: Parameters<typeof write>) => {
        const more = write.apply(wire.stream, args)
        if (wire.chunks.length > 0) resolve()
        return more
      }) as typeof write
    })
    stream?.enqueue(new TextEncoder().encode('{"type":"ADDED"}\n'))
    await arrived
    expect(wire.chunks).toEqual(['{"type":"ADDED"}\n'])
    stream?.close()
    await ended
  })

  it('destroys the connection when the body breaks off, and the runtime lives on', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const wire = newWire()
    const broken = new ReadableStream({
      pull: (stream) => stream.error(new Error('cut')),
    })
    const handle = streamingHandler({ fetch: () => new Response(broken) }, runtimeFor(wire))
    await handle(functionUrlEvent({ path: NODES }), {})
    expect(said.mock.lastCall?.[0]).toMatchObject({ path: NODES, error: { message: 'cut' } })
    said.mockRestore()
    // In Lambda nothing else listens; an error without a listener ends the process.
    expect(wire.stream.listenerCount('error')).toBeGreaterThan(0)
    expect(wire.stream.destroyed).toBe(true)
    expect(wire.stream.writableFinished).toBe(false)
  })

  it('sends the head of a watch that has nothing to tell yet', async () => {
    const wire = newWire()
    const quiet = new ReadableStream({ pull: () => new Promise(() => {}) })
    const handle = streamingHandler({ fetch: () => new Response(quiet) }, runtimeFor(wire))
    void handle(functionUrlEvent({ path: NODES, query: 'watch=true' }), {})
    await wire.begun
    expect([wire.head?.statusCode, wire.chunks]).toEqual([200, []])
  })

  it('ends when the answer is sent and what it left to be done is done', async () => {
    const wire = newWire()
    const { promise, resolve } = Promise.withResolvers<void>()
    const app = { fetch: () => new Response('{}'), pendingWrites: () => promise }
    const order: string[] = []
    wire.stream.on('finish', () => {
      order.push('sent')
      setImmediate(() => {
        order.push('pendingWrites')
        resolve()
      })
    })
    await streamingHandler(app, runtimeFor(wire))(functionUrlEvent({ path: NODES }), {})
    expect(order).toEqual(['sent', 'pendingWrites'])
  })

  it('sends an answer without a body', async () => {
    const wire = newWire()
    const app = { fetch: () => new Response(null, { status: 304 }) }
    await streamingHandler(app, runtimeFor(wire))(functionUrlEvent({ path: '/' }), {})
    expect([wire.head?.statusCode, wire.chunks, wire.stream.writableFinished]).toEqual([
      304,
      [],
      true,
    ])
  })
})
