/**
 * What time is it, and wake me later. Handed in everywhere, so that tests can make a day pass in a
 * moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export interface Clock {
  /** Since 1970; may be set, and then jumps. */
  wallMs(): number
  /** Since some moment; never jumps, but may stand still while the machine sleeps. */
  steadyMs(): number
  /** Resolves early when the signal fires; never rejects. */
  wait(waitMs: number, signal?: AbortSignal): Promise<void>
  random(): number
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  wait: (waitMs, signal) => sleep(waitMs, undefined, { signal }).catch(() => undefined),
  random: Math.random,
}
