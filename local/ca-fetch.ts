/** A fetch that trusts one authority: the global one cannot be told about the CA of local mode. */
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Fetch } from '../functions/monitor/canary.ts'

export function caFetch(ca: string): Fetch {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1 })
  return (url, { method, headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Fetch>>>()
    const options = {
      agent,
      method,
      headers: headers as Record<string, string>,
      signal: signal ?? undefined,
    }
    request(url, options, (response) => {
      const status = response.statusCode ?? 0
      resolve({ status, text: () => text(response) })
    })
      .on('error', reject)
      .end(body)
    return promise
  }
}
