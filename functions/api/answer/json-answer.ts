/** Puts a JSON text on the wire, compressed where that is worth the work. */
import type { Incoming } from '../request/incoming.ts'

// Below this kube-apiserver does not compress either; the work would cost more than the wire.
const COMPRESS_ABOVE_BYTES = 128 * 1024
// The fastest level: JSON of Kubernetes objects shrinks tenfold at any.
const LEVEL = 1

export const JSON_TYPE = 'application/json'

export const JSON_HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-cache, private' }

export function jsonHeaders(warnings: readonly string[] = []): Headers {
  const headers = new Headers(JSON_HEADERS)
  for (const warning of warnings) headers.append('warning', warningValue(warning))
  return headers
}

/** `299 - "text"`, on one line and in ASCII, as a header must be. */
function warningValue(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
  return `299 - "${printable}"`
}

export async function answerText(
  request: Incoming,
  text: string,
  status: number,
  headers: Headers,
): Promise<Response> {
  if (text.length <= COMPRESS_ABOVE_BYTES || !acceptsGzip(request)) {
    return new Response(text, { status, headers })
  }
  headers.set('content-encoding', 'gzip')
  headers.append('vary', 'Accept-Encoding')
  return new Response(await compressed(text), { status, headers })
}

async function compressed(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const [{ promisify }, { gzip }] = await Promise.all([import('node:util'), import('node:zlib')])
  return new Uint8Array(await promisify(gzip)(text, { level: LEVEL }))
}

/**
 * For a body that is made while it is sent. An error in the middle of it errors the stream, never
 * ends it.
 */
export function answerStream(
  request: Incoming,
  chunks: AsyncIterable<string>,
  headers: Headers,
): Response {
  const bytes = ReadableStream.from(encoded(chunks))
  if (!acceptsGzip(request)) return new Response(bytes, { headers })
  headers.set('content-encoding', 'gzip')
  headers.append('vary', 'Accept-Encoding')
  return new Response(bytes.pipeThrough(new CompressionStream('gzip')), { headers })
}

async function* encoded(chunks: AsyncIterable<string>): AsyncIterable<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  for await (const chunk of chunks) yield encoder.encode(chunk)
}

const acceptsGzip = (request: Incoming): boolean =>
  /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.get('accept-encoding') ?? '')
