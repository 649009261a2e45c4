/**
 * Stands between the functions and the emulator: each call is judged by the policies of the role that
 * the function was deployed with, and refused in AWS's own words. Functions sign with their name.
 */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { isAllowed, type Statement } from './iam.ts'

export interface Call {
  readonly caller: string
  readonly action: string
  readonly resource: string
}

interface ProxyPlan {
  readonly endpoint: string
  readonly statementsOf: (caller: string) => readonly Statement[]
  /** Answers in AWS's place, or lets the call pass. */
  readonly trouble?: (calls: readonly Call[], body: string) => Trouble | undefined
}

/** What AWS answers when it is in trouble itself, or does not like what it was given. */
export interface Trouble {
  readonly status: number
  readonly body: object
}

export async function iamProxy({ endpoint, statementsOf, trouble }: ProxyPlan) {
  const made = new Map<string, Call>()
  const refused = new Map<string, Call>()
  const { hostname, port } = new URL(endpoint)
  const server = createServer(async (asked, answer) => {
    const body = await buffer(asked)
    const [, caller = ''] = /Credential=([^/]+)\//.exec(asked.headers.authorization ?? '') ?? []
    const calls = callsIn(String(asked.headers['x-amz-target']), JSON.parse(String(body))).map(
      (each) => ({ caller, ...each }),
    )
    for (const each of calls) made.set(JSON.stringify(each), each)
    const not = calls.find((each) => !isAllowed(statementsOf(caller), each.action, each.resource))
    if (not) {
      refused.set(JSON.stringify(not), not)
      const message = `${caller} is not authorized to perform: ${not.action} on ${not.resource}`
      answer.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
      return answer.end(JSON.stringify({ __type: 'AccessDeniedException', message }))
    }
    const answered = trouble?.(calls, String(body))
    if (answered) {
      answer.writeHead(answered.status, { 'content-type': 'application/x-amz-json-1.1' })
      return answer.end(JSON.stringify(answered.body))
    }
    const options = {
      hostname,
      port,
      method: asked.method,
      path: asked.url,
      headers: asked.headers,
    }
    request(options, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
      .on('error', () => answer.destroy())
      .end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    made: () => [...made.values()],
    refused: () => [...refused.values()],
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const ACCOUNT = 'us-east-1:000000000000'
const tableArn = (name: string) => `arn:aws:dynamodb:${ACCOUNT}:table/${name}`

interface Input {
  readonly TableName?: string
  readonly IndexName?: string
  readonly KeyId?: string
  readonly QueueUrl?: string
  readonly RequestItems?: Readonly<Record<string, unknown>>
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[]
  readonly Entries?: readonly { readonly EventBusName?: string }[]
}

/** A step of a transaction needs the permission of the single call. */
const steps: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  Get: 'GetItem',
  ConditionCheck: 'ConditionCheckItem',
}

/** What must be allowed for one request. One that is not understood is named, and so refused. */
export function callsIn(target: string, input: Input): readonly Omit<Call, 'caller'>[] {
  const [prefix = '', operation = ''] = target.split('.')
  if (prefix === 'DynamoDB_20120810') return tableCalls(operation, input)
  if (prefix === 'TrentService')
    return [{ action: `kms:${operation}`, resource: `arn:aws:kms:${ACCOUNT}:key/${input.KeyId}` }]
  if (prefix === 'AWSEvents')
    return (input.Entries ?? []).map(({ EventBusName }) => ({
      action: `events:${operation}`,
      resource: `arn:aws:events:${ACCOUNT}:event-bus/${EventBusName}`,
    }))
  if (prefix === 'AmazonSQS') {
    const queue = input.QueueUrl?.split('/').at(-1)
    return [{ action: `sqs:${operation}`, resource: `arn:aws:sqs:${ACCOUNT}:${queue}` }]
  }
  return [{ action: target, resource: 'unknown' }]
}

function tableCalls(operation: string, input: Input): readonly Omit<Call, 'caller'>[] {
  if (input.TransactItems)
    return input.TransactItems.flatMap((item) =>
      Object.entries(item).map(([step, { TableName }]) => ({
        action: `dynamodb:${steps[step]}`,
        resource: tableArn(TableName),
      })),
    )
  const action = `dynamodb:${operation}`
  if (input.RequestItems)
    return Object.keys(input.RequestItems).map((name) => ({ action, resource: tableArn(name) }))
  const index = input.IndexName ? `/index/${input.IndexName}` : ''
  return [{ action, resource: `${tableArn(input.TableName ?? '')}${index}` }]
}
