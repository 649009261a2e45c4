/**
 * What DynamoDB does on a bad day and the embedded engine never: a proxy in front of the real
 * engine that refuses, fails, or loses the answer after the engine has done the work. The store
 * under test talks real HTTP through it.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** `lost` and `broken` happen after the write was made; the others instead of it. */
export type Fault = 'throttled' | 'failed' | 'conflict' | 'cancelled' | 'lost' | 'broken'

/**
 * How the answer to a write is lost: after it was made; with the request, which never arrives; or
 * with the request, which arrives much later, when `deliverLate` says so.
 */
export type Loss = 'lost' | 'unsent' | 'late'

export interface FaultyProxy {
  readonly endpoint: string
  /** The operations seen, in order. */
  readonly seen: string[]
  /** The writes that the engine has made, each named by its token or by its number. */
  readonly written: Set<string>
  /** The next requests of an operation meet these, one each. */
  plan(operation: string, ...faults: readonly Fault[]): void
  /** The next writes lose their answers. `then` happens before the caller learns of the last one. */
  lose(losses: readonly Loss[], then: () => Promise<void>): void
  deliverLate(): Promise<void>
  close(): Promise<void>
}

const writes = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems'])

export async function faultyProxy(target: string): Promise<FaultyProxy> {
  const planned = new Map<string, Fault[]>()
  const seen: string[] = []
  const written = new Set<string>()
  const losses: Loss[] = []
  const late: (() => Promise<unknown>)[] = []
  let afterLoss = async () => {}

  /** A transaction that is repeated with its token is made once. */
  const make = async (operation: string, incoming: IncomingMessage, body: Buffer) => {
    const answer = await forward(target, incoming, body)
    const { ClientRequestToken: token } = JSON.parse(String(body))
    if (answer.status === 200 && writes.has(operation)) written.add(token ?? `#${written.size}`)
    return answer
  }
  const lose = async (loss: Loss, act: () => Promise<unknown>) => {
    if (loss === 'lost') await act()
    if (loss === 'late') late.push(act)
    if (losses.length === 0) await afterLoss()
  }

  const server = createServer(async (incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    seen.push(operation)
    const fault = planned.get(operation)?.shift()
    const body = await bodyOf(incoming)
    const loss = writes.has(operation) ? losses.shift() : undefined
    if (loss) {
      await lose(loss, () => make(operation, incoming, body))
      incoming.socket.destroy()
      return
    }
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
    const answer = await make(operation, incoming, body)
    outgoing.writeHead(answer.status, answer.headers).end(answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { readonly port: number }
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    seen,
    written,
    lose(all, then) {
      losses.splice(0, losses.length, ...all)
      afterLoss = then
    },
    async deliverLate() {
      for (const act of late.splice(0)) await act()
    },
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
