/**
 * A Lambda event as a Request. Function URLs and HTTP APIs send the same shape (payload format
 * 2.0).
 */
import type { APIGatewayProxyEventV2, LambdaFunctionURLEvent } from 'aws-lambda'

export type HttpEvent = APIGatewayProxyEventV2 | LambdaFunctionURLEvent

export function requestOf(event: HttpEvent): Request {
  const { method } = event.requestContext.http
  const query = event.rawQueryString ? `?${event.rawQueryString}` : ''
  // Only path and query are ever read; the host is whatever the ingress calls itself.
  const url = `https://leasehold${pathOf(event.rawPath)}${query}`
  const takesBody = method !== 'GET' && method !== 'HEAD'
  return new Request(url, {
    method,
    headers: headersOf(event),
    ...(takesBody &&
      event.body !== undefined && { body: bodyOf(event.body, event.isBase64Encoded) }),
  })
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
