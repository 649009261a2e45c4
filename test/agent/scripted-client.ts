/** A client that answers from a function and remembers what it was asked. */
import type { Answer, Call, Client } from '../../agent/client.ts'

export type Said = Partial<Answer> | undefined

export interface Scripted {
  readonly client: Client
  readonly calls: Call[]
  resets(): number
}

export function scriptedClient(
  answer: (call: Call, nth: number) => Said | Promise<Said>,
): Scripted {
  const calls: Call[] = []
  let resets = 0
  const client: Client = {
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
