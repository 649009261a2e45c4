/**
 * A Function URL that streams: requests become events, and what the function writes reaches the
 * client as it is written.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { LambdaFunctionURLEvent } from 'aws-lambda'
import type { Answer } from './environment.ts'
import { Throttled } from './host.ts'

/** Lambda's limit for a request. */
const BODY_LIMIT_BYTES = 6 * 1024 * 1024
/** A function says status and headers as JSON, then this, then the body. */
const DELIMITER = Buffer.alloc(8)
const TEXT = /^(text\/|application\/(json|javascript|xml|x-www-form-urlencoded))/

export function functionUrl(
  invoke: (event: LambdaFunctionURLEvent) => Promise<Answer>,
): RequestListener {
  return async (request, response) => {
    try {
      const body = await bodyOf(request)
      if (body === undefined) return refuse(response, 413, 'Request Too Long')
      await relay(await invoke(eventOf(request, body)), response)
    } catch (error) {
      if (response.headersSent) return void response.destroy()
      if (error instanceof Throttled) return refuse(response, 429, error.message)
      refuse(response, 502, 'Internal Server Error')
    }
  }
}

const refuse = (response: ServerResponse, status: number, message: string) => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message }))
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk)
  }
  return size <= BODY_LIMIT_BYTES ? Buffer.concat(chunks) : undefined
}

function eventOf(request: IncomingMessage, body: Buffer): LambdaFunctionURLEvent {
  const { pathname, search } = new URL(request.url ?? '/', 'http://function')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const isText = TEXT.test(headers['content-type'] ?? '')
  const sourceIp = request.socket.remoteAddress ?? ''
  const domainName = headers.host ?? ''
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    queryStringParameters: Object.fromEntries(new URLSearchParams(search)),
    headers: { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': sourceIp },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
    requestContext: {
      accountId: 'anonymous',
      apiId: 'emulated',
      domainName,
      domainPrefix: 'emulated',
      http: {
        method: request.method ?? 'GET',
        path: pathname,
        protocol: 'HTTP/1.1',
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toISOString(),
      timeEpoch: Date.now(),
    },
  }
}

interface Head {
  readonly statusCode?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A client that leaves does not stop the function: it goes on, as in Lambda, and is read to its end. */
async function relay({ isHttp, body }: Answer, response: ServerResponse): Promise<void> {
  let unread: Buffer | undefined = isHttp ? Buffer.alloc(0) : undefined
  if (!isHttp) response.writeHead(200, { 'content-type': 'application/octet-stream' })
  for await (const chunk of body) {
    if (unread === undefined) {
      if (!response.writableEnded && !response.destroyed) response.write(chunk)
      continue
    }
    unread = Buffer.concat([unread, chunk])
    const at = unread.indexOf(DELIMITER)
    if (at < 0) continue
    const { statusCode = 200, headers = {} } = JSON.parse(unread.toString('utf8', 0, at)) as Head
    response.writeHead(statusCode, headers)
    response.flushHeaders()
    const rest = unread.subarray(at + DELIMITER.length)
    if (rest.length > 0) response.write(rest)
    unread = undefined
  }
  // What failed half-way must not look like a whole answer.
  if (unread !== undefined || body.trailers['lambda-runtime-function-error-type'])
    throw new Error('the function failed')
  response.end()
}
