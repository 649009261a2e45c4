/**
 * Waits for a condition, not for a duration: looks often, and gives up with a word at its deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export async function eventually(what: string, holds: () => boolean | undefined, withinMs = 5_000) {
  const deadlineMs = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`)
    await sleep(5)
  }
}
