/** Waits for a condition, not for a duration: polls often, and at its deadline says what failed. */
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20
/** Less than any test may take, so that the message comes before the test's own timeout. */
const WITHIN_MS = 18_000

export async function eventually(
  what: string | (() => string),
  holds: () => boolean | undefined | Promise<boolean | undefined>,
  withinMs = WITHIN_MS,
): Promise<void> {
  const deadlineMs = performance.now() + withinMs
  while (!(await holds())) {
    if (performance.now() > deadlineMs)
      throw new Error(`not within ${withinMs} ms: ${typeof what === 'string' ? what : what()}`)
    await sleep(POLL_MS)
  }
}
