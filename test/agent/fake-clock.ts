/** Time that passes only when told to, and all at once: a day of waiting takes a millisecond. */
import type { Clock } from '../../agent/clock.ts'

interface Sleeper {
  readonly dueMs: number
  wake(): void
}

export interface FakeClock extends Clock {
  /** Lets time pass, waking sleepers in order and letting each finish what it started. */
  advance(byMs: number): Promise<void>
  /** Sets the wall clock without any time passing. */
  jumpWall(byMs: number): void
  sleepers(): number
}

const START_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

export function fakeClock(random: () => number = () => 0): FakeClock {
  let steadyMs = 0
  let wallOffsetMs = START_MS
  const sleeping = new Set<Sleeper>()
  return {
    wallMs: () => steadyMs + wallOffsetMs,
    steadyMs: () => steadyMs,
    random,
    sleepers: () => sleeping.size,
    jumpWall: (byMs) => {
      wallOffsetMs += byMs
    },
    wait: (waitMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const sleeper = { dueMs: steadyMs + Math.max(waitMs, 0), wake }
        function wake() {
          sleeping.delete(sleeper)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        sleeping.add(sleeper)
        signal?.addEventListener('abort', wake)
      }),
    async advance(byMs) {
      const untilMs = steadyMs + byMs
      await settle()
      for (;;) {
        const next = [...sleeping].sort((a, b) => a.dueMs - b.dueMs)[0]
        if (!next || next.dueMs > untilMs) break
        steadyMs = Math.max(steadyMs, next.dueMs)
        next.wake()
        await settle()
      }
      steadyMs = untilMs
    },
  }
}

/** Promises that depend on nothing but each other are done after one turn of the event loop. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
