/** A client that answers from a function and remembers what it was asked. */
import type { ServiceClient, ServiceRequest, ServiceResponse } from '../../agent/client.ts'

export type Said = Partial<ServiceResponse> | undefined

export interface Scripted {
  readonly client: ServiceClient
  readonly calls: ServiceRequest[]
  resets(): number
}

export function scriptedClient(
  answer: (call: ServiceRequest, nth: number) => Said | Promise<Said>,
): Scripted {
  const calls: ServiceRequest[] = []
  let resets = 0
  const client: ServiceClient = {
    async send(call) {
      calls.push(call)
      const said = await answer(call, calls.length - 1)
      return { code: 0, body: undefined, headers: {}, why: '', ...said }
    },
    reset() {
      resets++
    },
  }
  return { client, calls, resets: () => resets }
}
