/** The dead-letter queue without SQS: what is taken comes back later unless it is dropped. */
import { letterFrom, letterText } from '../../../functions/notifier/letter.ts'
import type { LetterQueue } from '../../../functions/notifier/letter-queue.ts'

export interface MemoryLetters extends LetterQueue {
  readonly size: number
}

const mostAtOnce = 10

export function memoryLetters(bodies: readonly string[] = []): MemoryLetters {
  let ids = 0
  const messages = new Map(bodies.map((body) => [`message-${ids++}`, body]))
  const letterOf = (body: string) => {
    try {
      return { letter: letterFrom(body) }
    } catch {
      return {}
    }
  }
  return {
    get size() {
      return messages.size
    },
    async park(letter) {
      messages.set(`message-${ids++}`, letterText(letter))
    },
    async take() {
      const [...some] = messages
      // The newest first: a queue promises no order.
      const chosen = some.toReversed().slice(0, mostAtOnce)
      return chosen.map(([id, body]) => ({ id, receipt: id, ...letterOf(body) }))
    },
    async drop({ receipt }) {
      messages.delete(receipt)
    },
  }
}
