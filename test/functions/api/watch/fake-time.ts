/** A clock that moves only when it is told to, and runs what falls due on the way. */
import type { Timers } from '../../../../functions/api/watch/timing.ts'

export interface FakeTime {
  readonly now: () => number
  readonly timers: Timers
  /** How many timers are waiting. */
  pending(): number
  advance(ms: number): Promise<void>
}

export function fakeTime(startMs: number): FakeTime {
  let nowMs = startMs
  let waiting: { readonly atMs: number; readonly run: () => void }[] = []
  const timers: Timers = {
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run }
      waiting.push(timer)
      return () => {
        waiting = waiting.filter((each) => each !== timer)
      }
    },
  }
  return {
    now: () => nowMs,
    timers,
    pending: () => waiting.length,
    async advance(ms) {
      const untilMs = nowMs + ms
      await idle()
      for (;;) {
        const next = waiting.toSorted((a, b) => a.atMs - b.atMs)[0]
        if (!next || next.atMs > untilMs) break
        nowMs = Math.max(nowMs, next.atMs)
        waiting = waiting.filter((each) => each !== next)
        next.run()
        await idle()
      }
      nowMs = untilMs
    },
  }
}

/** Until everything that waits for nothing but the rest of this process has run. */
export const idle = () => new Promise<void>((resolve) => setImmediate(resolve))
