/** For a Function URL that streams: watches, and lists longer than a buffered answer may be. */
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { App } from './app.ts'
import { type HttpEvent, requestOf } from './event-request.ts'

/** The global that Lambda's Node runtime brings along. */
export interface LambdaStreaming {
  streamifyResponse(
    handler: (event: HttpEvent, stream: Writable) => Promise<void>,
  ): (event: HttpEvent, context: unknown) => Promise<void>
  readonly HttpResponseStream: {
    from(stream: Writable, head: ResponseHead): Writable
  }
}

export interface ResponseHead {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
}

export function streamingHandler(app: App, runtime: LambdaStreaming) {
  return runtime.streamifyResponse(async (event, stream) => {
    const response = await app.fetch(requestOf(event))
    const head = { statusCode: response.status, headers: Object.fromEntries(response.headers) }
    const wire = runtime.HttpResponseStream.from(stream, head)
    // A body that fails half-way destroys the connection: a clean end would make the part look like
    // the whole.
    await pipeline(response.body ?? [], wire)
  })
}
