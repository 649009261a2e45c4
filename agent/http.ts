/**
 * The wire: node:https with kept connections, a time limit over the whole exchange, and a bounded
 * body.
 */
import http from 'node:http'
import https from 'node:https'
import type { Answer, Call } from './client.ts'

/** A list of all pods of one host fits many times over. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
const DEFAULT_TIMEOUT_MS = 10_000
/**
 * Longer than a beat, so that a beat finds its connection; servers that close earlier cost one
 * reconnect.
 */
const KEEP_ALIVE_MS = 30_000
/** A gateway that asks for a day is not obeyed: nobody would notice when it comes back. */
const LONGEST_RETRY_MS = 60_000
const USER_AGENT = 'leasehold-agent/0.1.0'

export interface Transport {
  exchange(call: Call, token: string | undefined): Promise<Answer>
  /** The next exchange opens a new connection. */
  reset(): void
}

export interface TransportOptions {
  readonly server: string
  /** PEM of the authority that signed the server's certificate; the system's own when absent. */
  readonly ca?: string
  readonly timeoutMs?: number
  /** For beats, and as many for all else: what is slow there must not hold up a beat. */
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
      for (const each of Object.values(old)) retire(each)
    },
    exchange(call, token) {
      const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
      const url = new URL(base.pathname.replace(/\/$/, '') + call.path, base)
      const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS
      const request = (isSecure ? https : http).request(url, {
        method: call.method,
        agent: call.isBeat ? pools.beats : pools.rest,
        headers: headersOf(call, body, token),
      })
      return answerTo(request, body, timeoutMs)
    },
  }
}

function retire(pool: http.Agent): void {
  // Or it would keep for ever what nobody asks it for again.
  Object.assign(pool, { keepAlive: false })
  // Other calls may still be on it: idle sockets go now, busy ones end with their call.
  for (const sockets of Object.values(pool.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

function headersOf(call: Call, body: Buffer | undefined, token: string | undefined) {
  return {
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body && {
      'content-type': call.contentType ?? 'application/json',
      'content-length': body.length,
    }),
  }
}

function answerTo(
  request: http.ClientRequest,
  body: Buffer | undefined,
  timeoutMs: number,
): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = (why: string) => {
      clearTimeout(timer)
      resolve({ code: 0, body: undefined, headers: {}, why })
    }
    // Over the whole exchange: a server that sends a byte a second is not an answer either.
    const timer = setTimeout(() => {
      request.destroy(new Error(`no answer within ${timeoutMs / 1_000} s`))
    }, timeoutMs)
    request.on('error', (error) => fail(error.message || String(error)))
    request.on('response', (response) => {
      readBounded(response).then(
        (text) => {
          clearTimeout(timer)
          resolve(toAnswer(response, text))
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

function toAnswer(response: http.IncomingMessage, text: string): Answer {
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

/** A proxy's HTML page is an answer, too: its status counts, its body does not. */
function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
