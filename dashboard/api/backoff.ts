/** How the reflector waits: how long after a failure, and what ends the wait early. */

const FIRST_MS = 500
const LONGEST_MS = 15_000

/**
 * Doubles with each failure in a row, and half of it is random, so that tabs that failed together
 * do not retry together. `random` in [0, 1); the first retry has `failures` 1.
 */
export function backoffMs(failures: number, random: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
  return fullMs * (0.5 + random / 2)
}

/**
 * Sleeps for `ms`, or until the signal aborts or `event` is dispatched on `target`. Removes its
 * listeners: a page left open for a week sleeps a hundred thousand times under one signal.
 */
export function sleepOrEvent(
  ms: number,
  signal: AbortSignal,
  { target, event }: { readonly target: EventTarget; readonly event: string },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  const ended = new AbortController()
  const wake = () => resolve()
  const timer = setTimeout(wake, ms)
  signal.addEventListener('abort', wake, { signal: ended.signal })
  target.addEventListener(event, wake, { signal: ended.signal })
  return promise.finally(() => {
    clearTimeout(timer)
    ended.abort()
  })
}
