/** A port on loopback at which other programs invoke functions: `POST /NAME` with the event. */
import { createServer } from 'node:http'
import { json, text } from 'node:stream/consumers'
import { listen } from './environment.ts'
import type { LambdaHost } from './host.ts'

export async function serveInvocations(host: LambdaHost) {
  const server = createServer(async (request, response) => {
    try {
      const name = (request.url ?? '/').slice(1)
      const answer = await host.invoke(name, await json(request))
      response.end(await text(answer.body))
    } catch (error) {
      response.writeHead(500).end((error as Error).message)
    }
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
