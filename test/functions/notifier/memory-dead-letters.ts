/** The dead-letter queue without SQS: what is received comes back later unless it is deleted. */

import type { DeadLetterQueue } from '../../../functions/notifier/dead-letter-queue.ts'
import {
  decodeUndelivered,
  encodeUndelivered,
} from '../../../functions/notifier/undelivered-event.ts'

export interface MemoryDeadLetters extends DeadLetterQueue {
  readonly size: number
}

const mostAtOnce = 10

export function memoryDeadLetters(bodies: readonly string[] = []): MemoryDeadLetters {
  let ids = 0
  const messages = new Map(bodies.map((body) => [`message-${ids++}`, body]))
  return {
    get size() {
      return messages.size
    },
    async send(undelivered) {
      messages.set(`message-${ids++}`, encodeUndelivered(undelivered))
    },
    async receive() {
      const [...some] = messages
      // The newest first: a queue promises no order.
      const chosen = some.toReversed().slice(0, mostAtOnce)
      return chosen.map(([id, body]) => ({ id, receipt: id, content: decodeUndelivered(body) }))
    },
    async delete({ receipt }) {
      messages.delete(receipt)
    },
  }
}
