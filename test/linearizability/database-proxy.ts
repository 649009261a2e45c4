/**
 * An HTTP proxy between the api and its database. It hands every request on; what it does to the
 * answers of writes is a matter of the fault that is armed. The write itself has happened by then.
 */
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * `swallow`: no answer ever comes. `reset`: the connection breaks instead. `error`: the database
 * says 500. `delay`: the answer comes when the caller has given up.
 */
export type AnswerFault =
  | { readonly kind: 'swallow' | 'reset' | 'error' }
  | { readonly kind: 'delay'; readonly delayMs: number }

/** An answer on its way back; a mutant may change it. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type Rewrite = (operation: string, asked: string, answer: Answer) => Answer

export interface DatabaseProxy {
  readonly endpoint: string
  /** Where the database is from now on. */
  pointTo(endpoint: string): void
  /** What happens to this share of the answers to writes, until it is told otherwise. */
  arm(fault: AnswerFault | undefined, share?: () => boolean): void
  /** Breaks every connection on both sides. */
  cut(): void
  /** How many answers each kind of fault has met. */
  readonly met: ReadonlyMap<AnswerFault['kind'], number>
  close(): Promise<void>
}

const WRITES = new Set(['UpdateItem', 'PutItem', 'DeleteItem', 'TransactWriteItems'])

export async function databaseProxy(rewrite?: Rewrite): Promise<DatabaseProxy> {
  let target = new URL('http://127.0.0.1:9')
  let fault: AnswerFault | undefined
  let strikes = () => true
  const met = new Map<AnswerFault['kind'], number>()
  const sockets = new Set<Socket>()
  let agent = new Agent({ keepAlive: true })

  const serve = async (asked: IncomingMessage, response: ServerResponse) => {
    const operation = String(asked.headers['x-amz-target']).split('.').at(-1) ?? ''
    const body = await buffer(asked)
    const passed = await forward(target, agent, asked, body)
    const answer = rewrite ? rewrite(operation, body.toString(), passed) : passed
    const struck = fault && WRITES.has(operation) && strikes() ? fault : undefined
    if (!struck) return send(response, answer)
    met.set(struck.kind, (met.get(struck.kind) ?? 0) + 1)
    if (struck.kind === 'reset') response.destroy()
    if (struck.kind === 'error') send(response, internalError)
    if (struck.kind === 'delay') setTimeout(send, struck.delayMs, response, answer)
  }

  const server = createServer((asked, response) => {
    // The database is down, or a cut came in between: to the api that is a broken connection.
    serve(asked, response).catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    agent.destroy()
    agent = new Agent({ keepAlive: true })
    for (const socket of sockets) socket.destroy()
  }
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pointTo(endpoint) {
      target = new URL(endpoint)
    },
    arm(next, share = () => true) {
      fault = next
      strikes = share
    },
    cut,
    met,
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

async function forward(
  { hostname, port }: URL,
  agent: Agent,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const options = { hostname, port, agent, method, path: url, headers }
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request(options, resolve).on('error', reject).end(body)
  const answer = await promise
  return { status: answer.statusCode ?? 500, headers: answer.headers, body: await buffer(answer) }
}

const internalError: Answer = {
  status: 500,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from('{"__type":"InternalServerError","message":"planted by the proxy"}'),
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return
  const { 'transfer-encoding': _, ...kept } = headers
  response.writeHead(status, { ...kept, 'content-length': body.length }).end(body)
}
