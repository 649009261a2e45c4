/** The clocks of the host and its waits, handed in so that a test can let a day pass in a moment. */
import { setTimeout as sleep } from 'node:timers/promises'

export interface AgentClock {
  /** Since 1970; may be set, and then jumps. */
  wallMs(): number
  /** Since some moment; never jumps, but may stand still while the machine sleeps. */
  steadyMs(): number
  /** Resolves early when the signal fires; never rejects. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
  random(): number
}

export const systemClock: AgentClock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  wait: (waitMs, signal) => sleep(waitMs, undefined, { signal }).catch(() => undefined),
  random: Math.random,
}

export interface WakeableSleep {
  sleep(waitMs: number, signal: AbortSignal): Promise<void>
  /** Ends the sleep, or the next one when none is under way: no wake-up is lost. */
  wake(): void
}

export function wakeableSleep(clock: AgentClock): WakeableSleep {
  let woken = new AbortController()
  return {
    wake: () => woken.abort(),
    async sleep(waitMs, signal) {
      const stop = () => woken.abort()
      if (signal.aborted) return
      signal.addEventListener('abort', stop)
      await clock.wait(waitMs, woken.signal)
      signal.removeEventListener('abort', stop)
      woken = new AbortController()
    },
  }
}
