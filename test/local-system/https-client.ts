/** Plain HTTPS with a token, for tests that must say every header and byte themselves. */
import https from 'node:https'
import { text } from 'node:stream/consumers'

export interface Sent {
  /** An object goes as JSON, bytes and text as they are. */
  readonly body?: object | Uint8Array | string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
  readonly body: any
  readonly text: string
}

export interface HttpsClient {
  call(method: string, path: string, sent?: Sent): Promise<Answered>
  /** The answer as it arrives, for watches. */
  open(path: string, sent?: Sent): Promise<import('node:http').IncomingMessage>
  close(): void
}

export interface Server {
  readonly server: string
  readonly caPem: string
  readonly token?: string
}

export function httpsClient({ server, caPem, token }: Server): HttpsClient {
  const agent = new https.Agent({ keepAlive: true, ca: caPem })
  const base = { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) }

  const send = (method: string, path: string, { body, type, headers, signal }: Sent) => {
    const { promise, resolve, reject } =
      Promise.withResolvers<import('node:http').IncomingMessage>()
    const bytes = bytesOf(body)
    const content = bytes && {
      'content-type': type ?? 'application/json',
      // Node would not say how long the body of a DELETE is.
      'content-length': String(Buffer.byteLength(bytes)),
    }
    const request = https.request(new URL(path, server), {
      method,
      agent,
      signal,
      headers: { ...base, ...content, ...headers },
    })
    request.on('response', resolve).on('error', reject).end(bytes)
    return promise
  }

  return {
    async call(method, path, sent = {}) {
      const response = await send(method, path, sent)
      const body = await text(response)
      const isJson = response.headers['content-type']?.startsWith('application/json')
      const { statusCode: status = 0, headers } = response
      return { status, headers, text: body, body: isJson ? JSON.parse(body) : undefined }
    },
    open: (path, sent = {}) => send('GET', path, sent),
    close: () => agent.destroy(),
  }
}

function bytesOf(body: Sent['body']): Uint8Array | string | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}
