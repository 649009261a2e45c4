/**
 * The limits of DynamoDB that the embedded engine does not have: a proxy in front of it that refuses
 * what AWS would refuse, and answers queries and scans in short pages.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'

const ITEM_BYTES = 400 * 1024
const TRANSACTION_ACTIONS = 100
const TRANSACTION_BYTES = 4 * 1024 * 1024
/** A page of AWS ends after 1 MB; ends so early are met with few objects. */
const PAGE_ITEMS = 3

type Sent = Readonly<Record<string, unknown>>

/** What AWS would say to it; undefined lets it pass. */
function refusalOf(operation: string, sent: Sent): string | undefined {
  if (operation === 'TransactWriteItems') {
    const actions = sent.TransactItems as readonly Readonly<Record<string, Sent>>[]
    if (actions.length > TRANSACTION_ACTIONS) return 'too many actions in a transaction'
    const each = actions.map((action) => bytesOf(Object.values(action)[0]!))
    if (each.some((bytes) => bytes > ITEM_BYTES)) return 'an item of the transaction is too large'
    const all = each.reduce((sum, bytes) => sum + bytes, 0)
    return all > TRANSACTION_BYTES ? 'the transaction is too large' : undefined
  }
  const isWrite = operation === 'PutItem' || operation === 'UpdateItem'
  return isWrite && bytesOf(sent) > ITEM_BYTES ? 'the item is too large' : undefined
}

/** As DynamoDB counts: names and values, without the quotes and types of the wire. */
function bytesOf({ Item, ExpressionAttributeValues: values }: Sent): number {
  return size(Item) + size(values)
}

function size(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [name, one]) => {
    const isType = /^(S|N|B|M|L|BOOL|NULL|SS|NS)$/.test(name)
    return sum + (isType || Array.isArray(value) ? 0 : name.length) + size(one)
  }, 0)
}

const shortPages = (operation: string, sent: Sent): Sent =>
  operation === 'Query' || operation === 'Scan'
    ? { ...sent, Limit: Math.min(Number(sent.Limit ?? PAGE_ITEMS), PAGE_ITEMS) }
    : sent

export async function limitsProxy(target: string) {
  const refused: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    const sent = JSON.parse(String(await bodyOf(incoming))) as Sent
    const message = refusalOf(operation, sent)
    if (message) {
      refused.push(`${operation}: ${message}`)
      const type = 'com.amazon.coral.validate#ValidationException'
      outgoing.writeHead(400).end(JSON.stringify({ __type: type, message }))
      return
    }
    const body = Buffer.from(JSON.stringify(shortPages(operation, sent)))
    const headers = { ...incoming.headers, 'content-length': String(body.length) }
    const passed = request(target, { method: 'POST', headers })
    passed.end(body)
    const [response] = (await once(passed, 'response')) as [IncomingMessage]
    outgoing.writeHead(response.statusCode ?? 500, response.headers).end(await bodyOf(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** What was sent and AWS would have refused. */
    refused,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
