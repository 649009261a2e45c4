/**
 * Lies planted around the service, in the proxy or in the transport of the clients: what ships stays
 * as it is. A checker that misses one of them would miss the real one too.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpsClient } from '../local-system/https-client.ts'
import type { Answer, Rewrite } from './database-proxy.ts'
import type { Violation } from './direct-checks.ts'

export interface Mutant {
  readonly name: string
  /** The direct check that must find it, besides porcupine. */
  readonly foundBy: Violation['check']
  readonly rewrite?: Rewrite
  readonly transport?: (http: HttpsClient) => HttpsClient
}

const SHARE = 0.02
/** Most repeats of a patch change nothing: of a renewal, or with no rival in between. */
const REPEATED_SHARE = 0.1
const LEASES = '-leases"'

/** The api takes this for a rival's write, since it never learns that its own was applied. */
const refusedAfterWrite: Rewrite = (operation, _asked, answer) => {
  const isPlainWrite = operation === 'UpdateItem' || operation === 'PutItem'
  if (!isPlainWrite || answer.status !== 200 || Math.random() > SHARE) return answer
  const body = {
    __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException',
    message: 'The conditional request failed',
  }
  return rewritten(answer, JSON.stringify(body), 400)
}

/** As a gateway would that repeats a call whose answer it has lost. */
const sentTwice = (http: HttpsClient): HttpsClient => ({
  ...http,
  async call(method, path, sent) {
    const answer = await http.call(method, path, sent)
    if (method !== 'PATCH' || answer.status !== 200 || Math.random() > REPEATED_SHARE) return answer
    await sleep(20 + Math.random() * 40)
    return await http.call(method, path, sent)
  },
})

/** Every lease looks as if its last renewal were four seconds old. */
const expiredEarly: Rewrite = (_operation, asked, answer) => {
  if (!asked.includes(LEASES)) return answer
  return renumbered(answer, /"b":\{"N":"(\d{13})"\}/g, (ms) => `"b":{"N":"${ms - 4_000}"}`)
}

/** A claim that first fails its condition counts on from one less than the stored number. */
const repeatedNumber: Rewrite = (_operation, asked, answer) => {
  if (!asked.includes(LEASES) || answer.status === 200) return answer
  const lowered = (number: number) => `"t":{"N":"${Math.max(0, number - 1)}"}`
  return renumbered(answer, /"t":\{"N":"(\d+)"\}/g, lowered)
}

export const mutants: readonly Mutant[] = [
  {
    name: 'a write is refused with 409 though it was written',
    foundBy: 'refused yet written',
    rewrite: refusedAfterWrite,
  },
  { name: 'a repeated patch is applied twice', foundBy: 'applied twice', transport: sentTwice },
  {
    name: 'a lease is taken over before it expires',
    foundBy: 'two holders',
    rewrite: expiredEarly,
  },
  { name: 'a fencing number repeats', foundBy: 'fencing number repeated', rewrite: repeatedNumber },
]

function renumbered(answer: Answer, pattern: RegExp, next: (number: number) => string): Answer {
  const text = answer.body.toString()
  return rewritten(
    answer,
    text.replaceAll(pattern, (_, digits) => next(Number(digits))),
  )
}

/** The checksum that the database sent is that of the answer before. */
function rewritten(answer: Answer, body: string, status = answer.status): Answer {
  const { 'x-amz-crc32': _, ...headers } = answer.headers
  return { status, headers, body: Buffer.from(body) }
}
