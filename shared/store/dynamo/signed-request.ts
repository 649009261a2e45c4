/**
 * UpdateItem without the SDK: one JSON body, a few hashes for its signature, a kept-alive
 * connection. A renewal does nothing else, and this is a fraction of the work of the SDK's
 * middleware. Retries and meaning stay where they were.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { DynamoDBClient, UpdateItemCommandOutput } from '@aws-sdk/client-dynamodb'
import { type OnUsage, usages } from './calls.ts'
import type { ClockGuard } from './clock-guard.ts'
import { attemptMs } from './persistence.ts'
import type { UpdateItem } from './renewal.ts'
import { type Sign, signer } from './signature.ts'

export interface SignedOptions {
  readonly clock: () => number
  readonly guard: ClockGuard
  readonly onUsage?: OnUsage
}

const target = 'DynamoDB_20120810.UpdateItem'
/** Renewals in flight together; beyond it they queue for a connection. */
const maxSockets = 64

/**
 * Endpoint, region and credentials are the client's own; the SDK renews the credentials before they
 * expire.
 */
export function signedUpdateItem(client: DynamoDBClient, options: SignedOptions): UpdateItem {
  const { clock, guard, onUsage } = options
  const counted = onUsage && { ReturnConsumedCapacity: 'TOTAL' }
  let route: Promise<Route> | undefined
  return async (input) => {
    route ??= routeOf(client)
    const [{ url, agent, sign }, credentials] = await Promise.all([
      route,
      client.config.credentials(),
    ])
    const body = JSON.stringify({ ...input, ...counted })
    const headers = sign({ host: url.host, target, body, nowMs: guard.nowMs() }, credentials)
    const sentAtMs = clock()
    const answer = await post(url, agent, headers, body)
    guard.heard(sentAtMs, answer.date)
    if (answer.status !== 200) throw refusal(answer)
    const output = JSON.parse(answer.body) as UpdateItemCommandOutput
    for (const usage of onUsage ? usages('UpdateItem', output) : []) onUsage?.(usage)
    return output
  }
}

interface Route {
  readonly url: URL
  readonly agent: HttpAgent | HttpsAgent
  readonly sign: Sign
}

async function routeOf({ config }: DynamoDBClient): Promise<Route> {
  const region = await config.region()
  const custom = await config.endpoint?.()
  const [UseFIPS, UseDualStack] = await Promise.all([
    config.useFipsEndpoint(),
    config.useDualstackEndpoint(),
  ])
  const url = custom
    ? new URL(`${custom.protocol}//${custom.hostname}${custom.port ? `:${custom.port}` : ''}/`)
    : config.endpointProvider({ Region: region, UseDualStack, UseFIPS }).url
  const keep = { keepAlive: true, maxSockets }
  const agent = url.protocol === 'https:' ? new HttpsAgent(keep) : new HttpAgent(keep)
  return { url, agent, sign: signer(region) }
}

interface Answer {
  readonly status: number
  readonly date: string | undefined
  readonly body: string
}

function post(
  url: URL,
  agent: HttpAgent | HttpsAgent,
  headers: Record<string, string>,
  body: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest
    const length = String(Buffer.byteLength(body))
    const options = { method: 'POST', agent, headers: { ...headers, 'content-length': length } }
    const request = send(url, options, (response) => {
      read(response).then(resolve, reject)
    })
    const late = () => request.destroy(named('TimeoutError', `no answer within ${attemptMs} ms`))
    const timer = setTimeout(late, attemptMs)
    request.on('close', () => clearTimeout(timer))
    request.on('error', reject)
    request.end(body)
  })
}

async function read(response: IncomingMessage): Promise<Answer> {
  response.setEncoding('utf8')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode ?? 0, date: response.headers.date, body }
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
