/** Frames as the body of an answer, made while it is read. */
import { jsonHeaders } from '../answer/json-answer.ts'

/** Its end is clean; an error is passed on, so that a part does not look like the whole. */
export function frameStream(frames: AsyncGenerator<string>, stop: () => Promise<void>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await stop()
      await frames.return(undefined)
    },
  })
  return new Response(body, { headers: jsonHeaders() })
}
