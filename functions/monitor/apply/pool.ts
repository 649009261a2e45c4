/** Runs jobs a few at a time, and starts no more once the time is up. Returns how many it left. */

/** Enough to keep a table busy, few enough not to be throttled by one partition. */
export const PARALLEL = 8

export interface Limits {
  readonly isOver: () => boolean
  readonly parallel?: number
}

export async function runPool(
  jobs: readonly (() => Promise<void>)[],
  { isOver, parallel = PARALLEL }: Limits,
): Promise<number> {
  let next = 0
  const worker = async () => {
    while (next < jobs.length && !isOver()) await jobs[next++]!()
  }
  await Promise.all(Array.from({ length: Math.min(parallel, jobs.length) }, worker))
  return jobs.length - next
}

export function inChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size))
}
