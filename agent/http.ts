/** HTTP with kept connections, a time limit over the whole exchange, and a bounded body. */
import http from 'node:http'
import https from 'node:https'
import { VERSION } from '../shared/flags/version.ts'
import type { ServiceRequest, ServiceResponse } from './client.ts'

/** Many times the list of all pods of one host. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
const DEFAULT_TIMEOUT_MS = 10_000
/** Longer than the beat interval, so that a beat finds an open connection. */
const KEEP_ALIVE_MS = 30_000
/** A longer Retry-After is cut: the agent must notice soon when the service is back. */
const LONGEST_RETRY_MS = 60_000
const USER_AGENT = `leasehold-agent/${VERSION}`

export interface Transport {
  exchange(request: ServiceRequest, token: string | undefined): Promise<ServiceResponse>
  /** The next exchange opens a new connection. */
  reset(): void
}

interface TransportOptions {
  readonly server: string
  /** PEM of the authority that signed the server's certificate; the system's own when absent. */
  readonly ca?: string
  readonly timeoutMs?: number
  /** For beats, and as many for everything else, so that slow requests do not hold up a beat. */
  readonly maxSockets?: number
}

export function httpTransport(options: TransportOptions): Transport {
  const base = new URL(options.server)
  const isSecure = base.protocol === 'https:'
  const pool = () => {
    const shape = {
      keepAlive: true,
      keepAliveMsecs: KEEP_ALIVE_MS,
      maxSockets: options.maxSockets ?? 2,
    }
    return isSecure ? new https.Agent({ ...shape, ca: options.ca }) : new http.Agent(shape)
  }
  let pools = { beats: pool(), rest: pool() }
  return {
    reset() {
      const old = pools
      pools = { beats: pool(), rest: pool() }
      for (const each of Object.values(old)) closeIdle(each)
    },
    exchange(request, token) {
      const body =
        request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
      const url = new URL(base.pathname.replace(/\/$/, '') + request.path, base)
      const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
      const outgoing = (isSecure ? https : http).request(url, {
        method: request.method,
        agent: request.isBeat ? pools.beats : pools.rest,
        headers: headersOf(request, body, token),
      })
      return responseTo(outgoing, body, timeoutMs)
    },
  }
}

function closeIdle(pool: http.Agent): void {
  // Without this, sockets that are busy now would stay open in a pool that is no longer used.
  Object.assign(pool, { keepAlive: false })
  // Busy sockets end with their request.
  for (const sockets of Object.values(pool.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

function headersOf(request: ServiceRequest, body: Buffer | undefined, token: string | undefined) {
  return {
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(request.prefer && { prefer: request.prefer }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && {
      'content-type': request.contentType ?? 'application/json',
      'content-length': body.length,
    }),
  }
}

function responseTo(
  request: http.ClientRequest,
  body: Buffer | undefined,
  timeoutMs: number,
): Promise<ServiceResponse> {
  return new Promise((resolve) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      resolve({ code: 0, body: undefined, headers: {}, why })
    }
    // Over the whole exchange, so that a server that sends a byte a second is cut off as well.
    const timer = setTimeout(() => {
      request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`))
    }, timeoutMs)
    request.on('error', (error) => fail(error.message || String(error)))
    request.on('response', (response) => {
      readBounded(response).then(
        (text) => {
          clearTimeout(timer)
          resolve(toServiceResponse(response, text))
        },
        (error) => {
          request.destroy()
          fail((error as Error).message)
        },
      )
    })
    request.end(body)
  })
}

async function readBounded(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > MAX_BODY_BYTES) throw new Error(`answer is longer than ${MAX_BODY_BYTES} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toServiceResponse(response: http.IncomingMessage, text: string): ServiceResponse {
  const code = response.statusCode ?? 0
  const body = parsed(text)
  const message = (body as { message?: unknown } | undefined)?.message
  const afterSeconds = Number(response.headers['retry-after'])
  return {
    code,
    body,
    headers: response.headers,
    ...(afterSeconds > 0 && { retryAfterMs: Math.min(afterSeconds * 1_000, LONGEST_RETRY_MS) }),
    why: typeof message === 'string' ? `${code}: ${message}` : `${code}`,
  }
}

/** Of a proxy's HTML page only the status code is used. */
function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
