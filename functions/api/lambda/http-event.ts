/**
 * How does Lambda speak HTTP? Events as requests, responses streamed or buffered. Function URLs and
 * HTTP APIs send the same shape (payload format 2.0).
 */
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  LambdaFunctionURLEvent,
} from 'aws-lambda'
import { lambdaLog } from '../../../shared/store/aws/lambda-log.ts'
import type { Entry, FetchHandler } from '../entry.ts'
import type { PlainRequest } from '../request/api-request.ts'
import { type ApiResponse, isPlainResponse } from '../response/json-response.ts'

export type HttpEvent = APIGatewayProxyEventV2 | LambdaFunctionURLEvent

/** Only the api's entry has a short path for lease writes. */
type LambdaApi = FetchHandler & Partial<Omit<Entry, 'fetch'>>

export const respondToEvent = async (api: LambdaApi, event: HttpEvent): Promise<ApiResponse> =>
  await (api.serveLeaseWrite?.(plainRequestOf(event)) ?? api.fetch(requestOf(event)))

export function requestOf(event: HttpEvent): Request {
  const { method } = event.requestContext.http
  const takesBody = method !== 'GET' && method !== 'HEAD'
  return new Request(urlOf(event), {
    method,
    headers: headersOf(event),
    ...(takesBody &&
      event.body !== undefined && { body: bodyOf(event.body, event.isBase64Encoded) }),
  })
}

/** What a lease write needs of a request. */
function plainRequestOf(event: HttpEvent): PlainRequest {
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(event.headers)) {
    if (value !== undefined) headers.set(name.toLowerCase(), value)
  }
  return {
    method: event.requestContext.http.method,
    url: urlOf(event),
    headers: { get: (name) => headers.get(name) ?? null },
    content: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  }
}

/** Only path and query are ever read, so any host will do. */
function urlOf({ rawPath, rawQueryString }: HttpEvent): string {
  const query = rawQueryString ? `?${rawQueryString}` : ''
  return `https://leasehold${pathOf(rawPath)}${query}`
}

/** A path that begins with two slashes would be read as the name of a host. */
const pathOf = (rawPath: string): string => `/${rawPath.replace(/^\/+/, '')}`

function headersOf({ headers }: HttpEvent): Headers {
  const copy = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && name !== 'cookie') copy.set(name, value)
  }
  return copy
}

const bodyOf = (body: string, isBase64: boolean): string | Uint8Array<ArrayBuffer> =>
  isBase64 ? new Uint8Array(Buffer.from(body, 'base64')) : body

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

/** For a Function URL that streams: watches, and lists longer than a buffered response may be. */
export function streamingHandler(api: LambdaApi, runtime: LambdaStreaming) {
  return runtime.streamifyResponse(async (event, stream) => {
    const response = await respondToEvent(api, event)
    const plain = isPlainResponse(response)
    const headers = plain ? response.headers : Object.fromEntries(response.headers)
    const wire = runtime.HttpResponseStream.from(stream, { statusCode: response.status, headers })
    // The head leaves with the first write, and without one it never does: a 304 would arrive as an
    // empty 200, and a watch as nothing at all until something happens.
    if (!plain) wire.write('')
    // The runtime's stream says it once more when it is destroyed, and nothing else would listen.
    wire.on('error', () => {})
    // A body that fails half-way destroys the connection: a clean end would make the part look like
    // the whole.
    await pipeline(plain ? [response.text] : (response.body ?? []), wire).catch((error: unknown) =>
      // Thrown on, it would end the runtime, and with it what other requests have cached.
      lambdaLog({ level: 'error', message: 'an answer broke off', path: event.rawPath, error }),
    )
    await api.pendingWrites?.()
  })
}

// Lambda returns at most 6 MB, the body as a text within JSON; the rest is for headers.
export const BUFFERED_RESPONSE_LIMIT_BYTES = 6 * 1024 * 1024 - 64 * 1024

/** For an ingress that takes the whole response at once: an API Gateway HTTP API. */
export function bufferedHandler(api: LambdaApi) {
  return async (event: HttpEvent): Promise<APIGatewayProxyStructuredResultV2> => {
    const response = await respondToEvent(api, event)
    await api.pendingWrites?.()
    const { status: statusCode } = response
    if (isPlainResponse(response)) {
      return { statusCode, headers: { ...response.headers }, body: response.text }
    }
    const headers = Object.fromEntries(response.headers)
    // Reading throws when the body breaks off, so half a response never passes for a whole one.
    if (!response.headers.has('content-encoding')) {
      return { statusCode, headers, body: await response.text() }
    }
    const body = Buffer.from(await response.arrayBuffer()).toString('base64')
    return { statusCode, headers, body, isBase64Encoded: true }
  }
}
