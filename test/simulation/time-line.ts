/**
 * Virtual time. What is due runs in order; after each event everything that awaits gets its turn
 * before the next begins, so a run depends on nothing but its seed.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface TimeLine {
  /** The true time, which no clock of the world need agree with. */
  readonly nowMs: () => number
  readonly at: (atMs: number, act: () => void) => void
  readonly after: (delayMs: number, act: () => void) => void
  /** Ends early when the signal says so. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /**
   * Work that may wait for something real as well (a module that is loaded when it is first needed):
   * virtual time stands still until it is done or sleeps.
   */
  readonly track: <T>(work: () => Promise<T>) => Promise<T>
  readonly run: (untilMs: number) => Promise<void>
}

interface Work {
  sleeping: number
}

interface Due {
  readonly atMs: number
  readonly order: number
  readonly act: () => void
}

export function timeLine(startMs: number): TimeLine {
  const heap: Due[] = []
  let nowMs = startMs
  let order = 0
  const context = new AsyncLocalStorage<Work>()
  const working = new Set<Work>()

  const at = (atMs: number, act: () => void) => {
    order += 1
    push(heap, { atMs: Math.max(atMs, nowMs), order, act })
  }
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
      const work = context.getStore()
      if (work) work.sleeping += 1
      at(nowMs + ms, () => {
        if (work) work.sleeping -= 1
        resolve()
      })
    })
  const settle = async () => {
    await quiet()
    while (working.values().some(({ sleeping }) => sleeping === 0)) {
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }

  return {
    nowMs: () => nowMs,
    at,
    after: (delayMs, act) => at(nowMs + delayMs, act),
    sleep,
    async track(work) {
      const mine = { sleeping: 0 }
      working.add(mine)
      try {
        return await context.run(mine, work)
      } finally {
        working.delete(mine)
      }
    },
    async run(untilMs) {
      await settle()
      while (heap.length > 0 && heap[0]!.atMs <= untilMs) {
        const due = pop(heap)
        nowMs = due.atMs
        due.act()
        await settle()
      }
      nowMs = untilMs
    },
  }
}

/** A tick comes only when no promise is left to run. */
const quiet = () => new Promise<void>((resolve) => process.nextTick(resolve))

// ---- a binary heap ------------------------------------------------------------------------------

const isBefore = (one: Due, other: Due) =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)

function push(heap: Due[], due: Due): void {
  let at = heap.length
  heap.push(due)
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(due, heap[parent]!)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = due
}

function pop(heap: Due[]): Due {
  const first = heap[0]!
  const last = heap.pop()!
  if (heap.length > 0) sink(heap, last)
  return first
}

function sink(heap: Due[], due: Due): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1
    if (!isBefore(heap[child]!, due)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = due
}
