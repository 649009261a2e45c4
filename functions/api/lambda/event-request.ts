/**
 * A Lambda event as a Request. Function URLs and HTTP APIs send the same shape (payload format
 * 2.0).
 */
import type { APIGatewayProxyEventV2, LambdaFunctionURLEvent } from 'aws-lambda'

import type { ThinRequest } from '../request/incoming.ts'

export type HttpEvent = APIGatewayProxyEventV2 | LambdaFunctionURLEvent

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

/** The same, as far as a beat is concerned. */
export function thinRequestOf(event: HttpEvent): ThinRequest {
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

/** Only path and query are ever read; the host is whatever the ingress calls itself. */
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
