/** For ingresses that take the whole answer at once: an API Gateway HTTP API. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { isPlain } from '../answer/plain-answer.ts'
import { type App, answerEvent } from './app.ts'
import type { HttpEvent } from './event-request.ts'

// Lambda returns at most 6 MB, the body as a text within JSON; the rest is for headers.
export const BUFFERED_RESPONSE_LIMIT_BYTES = 6 * 1024 * 1024 - 64 * 1024

export function bufferedHandler(app: App) {
  return async (event: HttpEvent): Promise<APIGatewayProxyStructuredResultV2> => {
    const answer = await answerEvent(app, event)
    await app.settled?.()
    const { status: statusCode } = answer
    if (isPlain(answer)) return { statusCode, headers: { ...answer.headers }, body: answer.text }
    const headers = Object.fromEntries(answer.headers)
    // Reading throws when the body breaks off, so half an answer never passes for a whole one.
    if (!answer.headers.has('content-encoding')) {
      return { statusCode, headers, body: await answer.text() }
    }
    const body = Buffer.from(await answer.arrayBuffer()).toString('base64')
    return { statusCode, headers, body, isBase64Encoded: true }
  }
}
