/** Events as Lambda hands them over, in payload format 2.0. */
import type { HttpEvent } from '../../../../functions/api/lambda/http-event.ts'

export interface Sent {
  readonly method?: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly base64?: boolean
}

const requestId = 'JKJaXmPLvHcESHA='

function common({ method = 'GET', path, query = '', headers = {}, body, base64 = false }: Sent) {
  const domainName = 'abcdefghij.lambda-url.eu-central-1.on.aws'
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: {
      host: domainName,
      authorization: 'Bearer admin',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    isBase64Encoded: base64,
    ...(body !== undefined && { body }),
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      domainName,
      domainPrefix: 'abcdefghij',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'kubectl' },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: '02/Jan/2026:03:04:05 +0000',
      timeEpoch: 1_767_323_045_678,
    },
  }
}

/** A Function URL parses the query into strings, several values joined by commas. */
export const functionUrlEvent = (sent: Sent): HttpEvent => ({
  ...common(sent),
  queryStringParameters: Object.fromEntries(new URLSearchParams(sent.query)),
})

/** An HTTP API adds cookies and path parameters. */
export const httpApiEvent = (sent: Sent): HttpEvent => ({
  ...common(sent),
  cookies: ['session=1'],
  pathParameters: { proxy: sent.path.slice(1) },
})
