/** For ingresses that take the whole answer at once: an API Gateway HTTP API. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { App } from './app.ts'
import { type HttpEvent, requestOf } from './event-request.ts'

// Lambda returns at most 6 MB; the rest is for headers, and for what escaping adds to the body.
export const BUFFERED_RESPONSE_LIMIT_BYTES = 5 * 1024 * 1024

export function bufferedHandler(app: App) {
  return async (event: HttpEvent): Promise<APIGatewayProxyStructuredResultV2> => {
    const response = await app.fetch(requestOf(event))
    const headers = Object.fromEntries(response.headers)
    // Reading throws when the body breaks off, so half an answer never passes for a whole one.
    if (!response.headers.has('content-encoding')) {
      return { statusCode: response.status, headers, body: await response.text() }
    }
    const body = Buffer.from(await response.arrayBuffer()).toString('base64')
    return { statusCode: response.status, headers, body, isBase64Encoded: true }
  }
}
