/** For a Function URL that streams: watches, and lists longer than a buffered answer may be. */
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isPlain } from '../answer/plain-answer.ts'
import { type App, answerEvent } from './app.ts'
import type { HttpEvent } from './event-request.ts'

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
    const answer = await answerEvent(app, event)
    const plain = isPlain(answer)
    const headers = plain ? answer.headers : Object.fromEntries(answer.headers)
    const wire = runtime.HttpResponseStream.from(stream, { statusCode: answer.status, headers })
    // The head leaves with the first write, and without one it never does: a 304 would arrive as an
    // empty 200, and a watch as nothing at all until something happens.
    if (!plain) wire.write('')
    // A body that fails half-way destroys the connection: a clean end would make the part look like
    // the whole.
    await pipeline(plain ? [answer.text] : (answer.body ?? []), wire)
    await app.settled?.()
  })
}
