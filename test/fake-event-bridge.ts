/** As much of EventBridge as PutEvents needs, on loopback: remembers what it was told. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

export interface FakeEventBridge {
  readonly url: string
  readonly entries: readonly { readonly type: string; readonly name: string }[]
  close(): void
}

export async function startEventBridge(): Promise<FakeEventBridge> {
  const entries: { readonly type: string; readonly name: string }[] = []
  const server = createServer(async (request, response) => {
    const { Entries } = (await json(request)) as {
      Entries: { DetailType: string; Detail: string }[]
    }
    for (const { DetailType: type, Detail } of Entries)
      entries.push({ type, name: JSON.parse(Detail).object.name })
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    response.end(
      JSON.stringify({ FailedEntryCount: 0, Entries: Entries.map(() => ({ EventId: 'e' })) }),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    entries,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
