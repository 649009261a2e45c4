/**
 * Waits for a condition, not for a duration: looks often, and gives up with a word at its deadline.
 */
import { setTimeout as sleep } from 'node:timers/promises'

const WITHIN_MS = 20_000
const LOOK_MS = 25

export async function eventually(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadlineMs = performance.now() + WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > deadlineMs) {
      throw new Error(`not within ${WITHIN_MS} ms: ${typeof what === 'string' ? what : what()}`)
    }
    await sleep(LOOK_MS)
  }
}
