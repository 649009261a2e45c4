/**
 * One call to AWS without the SDK: a JSON body, a few hashes for its signature, a kept-alive
 * connection. That is a fraction of the work of the SDK's middleware, and nothing to load. One
 * attempt; retries and meaning are the caller's.
 */
import type { IncomingMessage, request } from 'node:http'
import type { ClockGuard } from '../dynamo/clock-guard.ts'
import { lazily } from '../lazily.ts'
import { signer } from './signature.ts'
import type { Service, Site } from './site.ts'

export interface CallOptions {
  readonly clock: () => number
  /** One attempt lasts no longer. */
  readonly limitMs: number
  /**
   * Hears the date of every answer, refusals included, and says what time requests are signed at.
   */
  readonly guard?: ClockGuard
}

export type SignedCall = (operation: string, input: object) => Promise<unknown>

/** What the two services call themselves in a request. */
const dialects: Readonly<Record<Service, { readonly prefix: string; readonly type: string }>> = {
  dynamodb: { prefix: 'DynamoDB_20120810', type: 'application/x-amz-json-1.0' },
  kms: { prefix: 'TrentService', type: 'application/x-amz-json-1.1' },
}

/** Calls in flight together; beyond it they queue for a connection. */
const maxSockets = 64

export function signedCall(site: Site, { clock, limitMs, guard }: CallOptions): SignedCall {
  const { service, region, url } = site
  const { prefix, type: contentType } = dialects[service]
  const sign = signer(service, region)
  const line = lazily(() => lineTo(url, limitMs))
  return async (operation, input) => {
    const body = JSON.stringify(input)
    const target = `${prefix}.${operation}`
    const credentials = await site.credentials()
    const nowMs = guard ? guard.nowMs() : clock()
    const headers = sign({ host: url.host, contentType, target, body, nowMs }, credentials)
    const sentAtMs = clock()
    const answer = await post(await line(), headers, body)
    guard?.heard(sentAtMs, answer.date)
    if (answer.status !== 200) throw refusal(answer)
    return JSON.parse(answer.body)
  }
}

interface Line {
  readonly send: typeof request
  readonly options: object
  readonly limitMs: number
}

/**
 * Taken apart once: reading a URL at every call would cost as much as a hash. Importing `node:http`
 * loads all of Node's web client with it, for which AWS, always on https, should not have to wait.
 */
async function lineTo({ protocol, hostname, port }: URL, limitMs: number): Promise<Line> {
  const isSecure = protocol === 'https:'
  const { Agent, request } = await (isSecure ? import('node:https') : import('node:http'))
  const agent = new Agent({ keepAlive: true, maxSockets })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const options = { method: 'POST', path: '/', host, port: port || undefined, agent }
  return { send: request, options, limitMs }
}

interface Answer {
  readonly status: number
  readonly date: string | undefined
  readonly body: string
}

function post({ send, options, limitMs }: Line, headers: Record<string, string>, body: string) {
  return new Promise<Answer>((resolve, reject) => {
    headers['content-length'] = String(Buffer.byteLength(body))
    const request = send({ ...options, headers }, (response) => read(response, resolve, reject))
    const late = () => request.destroy(named('TimeoutError', `no answer within ${limitMs} ms`))
    const timer = setTimeout(late, limitMs)
    request.on('close', () => clearTimeout(timer))
    request.on('error', reject)
    request.end(body)
  })
}

function read(
  response: IncomingMessage,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  let body = ''
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    body += chunk
  })
  // An answer that breaks off is an error of the response, not of the request.
  response.on('error', reject)
  response.on('end', () =>
    resolve({ status: response.statusCode ?? 0, date: response.headers.date, body }),
  )
}

/** The same shape as the SDK's errors, so that one set of rules reads both. */
function refusal({ status, body }: Answer): Error {
  const { __type = '', message = body, Item } = parsed(body)
  const name = __type.slice(__type.indexOf('#') + 1) || 'UnknownError'
  const $metadata = { httpStatusCode: status }
  return Object.assign(named(name, message), { $metadata, ...(Item !== undefined && { Item }) })
}

interface ErrorBody {
  readonly __type?: string
  readonly message?: string
  readonly Item?: unknown
}

/** A proxy in between may answer with something that is not JSON. */
function parsed(body: string): ErrorBody {
  try {
    return JSON.parse(body) as ErrorBody
  } catch {
    return {}
  }
}

const named = (name: string, message: string) => Object.assign(new Error(message), { name })
