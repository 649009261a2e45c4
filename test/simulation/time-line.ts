/**
 * Virtual time. What is due runs in order; after each event everything that awaits gets its turn
 * before the next begins, so a run depends on nothing but its seed.
 */

export interface TimeLine {
  /** The true time, which no clock of the world need agree with. */
  readonly nowMs: () => number
  readonly at: (atMs: number, act: () => void) => void
  readonly after: (delayMs: number, act: () => void) => void
  /** Ends early when the signal says so. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly run: (untilMs: number) => Promise<void>
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

  const at = (atMs: number, act: () => void) => {
    order += 1
    push(heap, { atMs: Math.max(atMs, nowMs), order, act })
  }
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (signal?.aborted) return resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
      at(nowMs + ms, resolve)
    })

  return {
    nowMs: () => nowMs,
    at,
    after: (delayMs, act) => at(nowMs + delayMs, act),
    sleep,
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

/**
 * Nothing in a world waits for anything real, and a tick comes only when no promise is left to run.
 */
const settle = () => new Promise<void>((resolve) => process.nextTick(resolve))

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
