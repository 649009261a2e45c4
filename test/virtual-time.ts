/** Time that passes only when a test says so, and all at once: a day takes a millisecond. */

export interface VirtualTime {
  readonly now: () => number
  /** Returns how to cancel it. */
  after(delayMs: number, run: () => void): () => void
  /** Ends early when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** How many timers and sleepers are waiting. */
  pending(): number
  /** Runs what falls due on the way, in order, and lets each finish what it started. */
  advance(byMs: number): Promise<void>
  /** Advances until the work is done; fails when it waits for something other than time. */
  until<T>(work: Promise<T>): Promise<T>
}

/** Turns of the event loop without a timer before `until` gives up. */
const MAX_IDLE_TURNS = 100

/** Time waits for `settled` after each timer: give one where work takes real time, such as cryptography. */
export function virtualTime(startMs: number, settled: () => Promise<unknown> = idle): VirtualTime {
  let nowMs = startMs
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>()

  const after = (delayMs: number, run: () => void) => {
    const timer = { atMs: nowMs + Math.max(0, delayMs), run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }

  /** Runs the next timer that is due by then, if there is one. */
  const runNext = (untilMs = Number.POSITIVE_INFINITY): boolean => {
    const next = [...timers].sort((one, other) => one.atMs - other.atMs)[0]
    if (!next || next.atMs > untilMs) return false
    nowMs = Math.max(nowMs, next.atMs)
    timers.delete(next)
    next.run()
    return true
  }

  return {
    now: () => nowMs,
    after,
    pending: () => timers.size,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const end = () => {
          cancel()
          signal?.removeEventListener('abort', end)
          resolve()
        }
        const cancel = after(ms, end)
        signal?.addEventListener('abort', end)
      }),
    async advance(byMs) {
      const untilMs = nowMs + byMs
      await settled()
      while (runNext(untilMs)) await settled()
      nowMs = untilMs
    },
    async until(work) {
      let isDone = false
      const done = () => {
        isDone = true
      }
      work.then(done, done)
      for (let idleTurns = 0; ; ) {
        await settled()
        if (isDone) return await work
        if (runNext()) idleTurns = 0
        else if (++idleTurns > MAX_IDLE_TURNS) throw new Error('the work waits for no timer')
      }
    },
  }
}

/** Promises that depend on nothing but each other are done after one turn of the event loop. */
export const idle = () => new Promise<void>((resolve) => setImmediate(resolve))
