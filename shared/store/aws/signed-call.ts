/**
 * One call to AWS without the SDK: a JSON body, its signature, a kept-alive connection. That is a
 * fraction of the work of the SDK's middleware, and nothing to load. One attempt: the caller retries.
 */

import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { IncomingMessage, request } from 'node:http'
import { WRITE_ATTEMPT_MS } from '../../lifecycle/clock-bounds.ts'
import type { ClockGuard } from '../clock.ts'
import { lazily } from '../lazily.ts'
import type { AwsCredentials, AwsEndpoint, Service } from './endpoint.ts'

interface CallOptions {
  readonly clock: () => number
  /**
   * Hears the date of every answer, refusals included, and says what time requests are signed at.
   */
  readonly guard?: ClockGuard
}

export type SignedCall = (operation: string, input: object) => Promise<unknown>

/** Target prefix and content type of each service. */
const protocols: Readonly<Record<Service, { readonly prefix: string; readonly type: string }>> = {
  dynamodb: { prefix: 'DynamoDB_20120810', type: 'application/x-amz-json-1.0' },
  kms: { prefix: 'TrentService', type: 'application/x-amz-json-1.1' },
  servicequotas: { prefix: 'ServiceQuotasV20190624', type: 'application/x-amz-json-1.1' },
}

/** Calls in flight together; beyond it they queue for a connection. */
const maxSockets = 64

export function signedCall(endpoint: AwsEndpoint, { clock, guard }: CallOptions): SignedCall {
  const { service, region, url, socketPath } = endpoint
  const { prefix, type: contentType } = protocols[service]
  const sign = signer(service, region)
  const httpTarget = lazily(() => targetOf(url, socketPath))
  return async (operation, input) => {
    const body = JSON.stringify(input)
    const target = `${prefix}.${operation}`
    const credentials = await endpoint.credentials()
    const nowMs = guard ? guard.nowMs() : clock()
    const headers = sign({ host: url.host, contentType, target, body, nowMs }, credentials)
    const sentAtMs = clock()
    const answer = await post(await httpTarget(), headers, body)
    guard?.observe(sentAtMs, answer.date)
    if (answer.status !== 200) throw refusal(answer)
    return JSON.parse(answer.body)
  }
}

interface Target {
  readonly send: typeof request
  readonly options: object
}

/**
 * Parsed once: parsing a URL at every call would cost as much as a hash. `node:http` loads more of
 * Node than `node:https`, so it is imported only where the endpoint is not https (never in AWS).
 */
async function targetOf({ protocol, hostname, port }: URL, socketPath?: string): Promise<Target> {
  const isSecure = protocol === 'https:'
  const { Agent, request } = await (isSecure ? import('node:https') : import('node:http'))
  const agent = new Agent({ keepAlive: true, maxSockets })
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const address = socketPath ? { socketPath } : { host, port: port || undefined }
  return { send: request, options: { method: 'POST', path: '/', agent, ...address } }
}

interface Answer {
  readonly status: number
  readonly date: string | undefined
  readonly body: string
}

function post({ send, options }: Target, headers: Record<string, string>, body: string) {
  return new Promise<Answer>((resolve, reject) => {
    headers['content-length'] = String(Buffer.byteLength(body))
    const request = send({ ...options, headers }, (response) => read(response, resolve, reject))
    const late = () =>
      request.destroy(errorNamed('TimeoutError', `no answer within ${WRITE_ATTEMPT_MS} ms`))
    const timer = setTimeout(late, WRITE_ATTEMPT_MS)
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
  // A connection that breaks during the answer is an error of the response, not of the request.
  response.on('error', reject)
  response.on('end', () =>
    resolve({ status: response.statusCode ?? 0, date: response.headers.date, body }),
  )
}

/** The same shape as the SDK's errors, so that `retry.ts` can read both. */
function refusal({ status, body }: Answer): Error {
  const { __type = '', message = body, Item } = parsed(body)
  const name = __type.slice(__type.indexOf('#') + 1) || 'UnknownError'
  const $metadata = { httpStatusCode: status }
  return Object.assign(errorNamed(name, message), {
    $metadata,
    ...(Item !== undefined && { Item }),
  })
}

interface ErrorBody {
  readonly __type?: string
  readonly message?: string
  readonly Item?: unknown
}

/** A proxy may answer with something that is not JSON. */
function parsed(body: string): ErrorBody {
  try {
    return JSON.parse(body) as ErrorBody
  } catch {
    return {}
  }
}

const errorNamed = (name: string, message: string) => Object.assign(new Error(message), { name })

interface UnsignedRequest {
  readonly host: string
  readonly contentType: string
  readonly target: string
  readonly body: string
  readonly nowMs: number
}

/** Signature Version 4 for the one kind of request we make: POST / with a JSON body. */
type Sign = (request: UnsignedRequest, credentials: AwsCredentials) => Record<string, string>

/**
 * The signing key depends on day and secret alone, so it is derived once and cached, as a KeyObject:
 * importing raw bytes at every call would cost more than the signature itself.
 */
export function signer(service: string, region: string): Sign {
  let cached: { readonly of: string; readonly key: KeyObject } | undefined

  const keyFor = (secret: string, day: string) => {
    const of = `${secret}/${day}`
    if (cached?.of !== of) cached = { of, key: derivedKey(secret, [day, region, service]) }
    return cached.key
  }

  return ({ host, contentType, target, body, nowMs }, credentials) => {
    const date = new Date(nowMs).toISOString().replace(/-|:|\.\d+/g, '')
    const day = date.slice(0, 8)
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    // Sorted by name, as the signature requires.
    const signed: Record<string, string> = {
      'content-type': contentType,
      host,
      'x-amz-date': date,
      ...(sessionToken && { 'x-amz-security-token': sessionToken }),
      'x-amz-target': target,
    }
    const names = Object.keys(signed)
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
    const canonical = `POST\n/\n\n${lines}\n${names.join(';')}\n${hash('sha256', body)}`
    const scope = `${day}/${region}/${service}/aws4_request`
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', canonical)}`
    const signature = hmac(keyFor(secretAccessKey, day), toSign).toString('hex')
    signed.authorization =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, ` +
      `SignedHeaders=${names.join(';')}, Signature=${signature}`
    return signed
  }
}

const hmac = (key: Buffer | KeyObject, text: string) =>
  createHmac('sha256', key).update(text).digest()

const derivedKey = (secret: string, parts: readonly string[]): KeyObject =>
  createSecretKey([...parts, 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)))
