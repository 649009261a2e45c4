/**
 * What DynamoDB does on a bad day and the embedded engine never: a proxy in front of the real
 * engine that refuses, fails, or loses the answer after the engine has done the work. The store
 * under test talks real HTTP through it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** `lost` and `broken` happen after the write was made; the others instead of it. */
export type Fault = 'throttled' | 'failed' | 'conflict' | 'cancelled' | 'lost' | 'broken'

export interface FaultyProxy {
  readonly endpoint: string
  /** The operations seen, in order. */
  readonly seen: string[]
  /** The next requests of an operation meet these, one each. */
  plan(operation: string, ...faults: readonly Fault[]): void
  close(): Promise<void>
}

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const planned = new Map<string, Fault[]>()
  const seen: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    seen.push(operation)
    const fault = planned.get(operation)?.shift()
    const body = await bodyOf(incoming)
    if (fault === 'lost' || fault === 'broken') {
      await forward(target, incoming, body)
      if (fault === 'lost') incoming.socket.destroy()
      else refuse(outgoing, 500, 'InternalServerError')
      return
    }
    if (fault) {
      const { status, name, more } = refusals[fault]
      return refuse(outgoing, status, name, more)
    }
    const answer = await forward(target, incoming, body)
    outgoing.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { readonly port: number }
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    seen,
    plan: (operation, ...faults) => planned.set(operation, [...faults]),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const conflicting = { CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }] }
const refusals = {
  throttled: { status: 400, name: 'ProvisionedThroughputExceededException', more: {} },
  failed: { status: 503, name: 'ServiceUnavailable', more: {} },
  conflict: { status: 400, name: 'TransactionConflictException', more: {} },
  cancelled: { status: 400, name: 'TransactionCanceledException', more: conflicting },
}

function refuse(outgoing: ServerResponse, status: number, name: string, more: object = {}): void {
  const headers = { 'content-type': 'application/x-amz-json-1.0' }
  const type = `com.amazonaws.dynamodb.v20120810#${name}`
  outgoing.writeHead(status, headers).end(JSON.stringify({ __type: type, message: name, ...more }))
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function forward(target: string, { headers, method }: IncomingMessage, body: Buffer) {
  const sent = request(target, { method: method ?? 'POST', headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 500,
    headers: response.headers,
    body: await bodyOf(response),
  }
}
