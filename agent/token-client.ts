/**
 * Speaks with the service as this host: adds the token, and when that is refused tries once with
 * another.
 */
import type { Client } from './client.ts'
import type { Transport } from './http.ts'
import type { Credentials } from './join.ts'

export function tokenClient(transport: Transport, credentials: Credentials): Client {
  return {
    reset: () => transport.reset(),
    async send(call) {
      const used = credentials.current()
      const answer = await transport.exchange(call, used)
      if (answer.code !== 401 || !(await credentials.rejected(used))) return answer
      return transport.exchange(call, credentials.current())
    },
  }
}
