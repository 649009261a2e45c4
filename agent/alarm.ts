/** A sleep that can be cut short, also by a ring that came before it began. */
import type { Clock } from './clock.ts'

export interface Alarm {
  sleep(waitMs: number, signal: AbortSignal): Promise<void>
  ring(): void
}

export function alarm(clock: Clock): Alarm {
  let wake = new AbortController()
  return {
    ring: () => wake.abort(),
    async sleep(waitMs, signal) {
      const stop = () => wake.abort()
      if (signal.aborted) return
      signal.addEventListener('abort', stop)
      await clock.wait(waitMs, wake.signal)
      signal.removeEventListener('abort', stop)
      wake = new AbortController()
    },
  }
}
