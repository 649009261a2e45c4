/** The api's responses: JSON text with its headers, compressed where that is worth the work. */
import { beatTiming } from '../../../shared/lifecycle/liveness/beat-timing.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { ApiContext } from '../deps.ts'
import type { ApiRequest } from '../request/api-request.ts'

/** A short text: making a Response costs more than sending one of these. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type ApiResponse = Response | PlainResponse

/** Does not name `Response`: its first use loads Node's web client, which a renewal never needs. */
export const isPlainResponse = (response: ApiResponse): response is PlainResponse =>
  typeof response.text === 'string'

export const responseOf = (response: ApiResponse): Response =>
  isPlainResponse(response) ? new Response(response.text, response) : response

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

export async function respondWithText(
  request: ApiRequest,
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

/** For a body that is made while it is sent. An error in the middle breaks the stream off. */
export function respondWithStream(
  request: ApiRequest,
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

const acceptsGzip = (request: ApiRequest): boolean =>
  /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(request.headers.get('accept-encoding') ?? '')

/** What a host learns from the response to its renewal, so that it need not ask separately. */
export function leaseHeaders(api: ApiContext, lease: StoredLease): Record<string, string> {
  const isNodeLease = lease.key.namespace === nodeLeaseNamespace
  const { fleetTiming } = api
  const timing = isNodeLease && fleetTiming && beatTiming(fleetTiming, lease.ownGraceMs)
  return {
    // Changes when a pod was bound to the host or ended there: then it lists its pods.
    'leasehold-inbox': String(lease.inbox),
    // Changes when the host was declared Unknown: then it sends its whole status at once.
    ...(lease.declaredAtMs !== undefined && { 'leasehold-declared': String(lease.declaredAtMs) }),
    ...(timing && {
      'leasehold-beat-seconds': String(timing.beatSeconds),
      'leasehold-grace-seconds': String(timing.graceSeconds),
    }),
  }
}
