/**
 * Many small writes as few transactions, a few of them at a time. Each item is a few steps that
 * state what they believed; those whose belief was wrong drop out as `outrun` and the rest are sent
 * again.
 */
import { StatusError } from '../../../shared/kube/status-error.ts'
import type { Commit, Store, WriteStep } from '../../../shared/store/ports.ts'

export interface BatchItem<T> {
  readonly of: T
  readonly steps: readonly WriteStep[]
}

export type BatchResult<T> =
  | { readonly kind: 'done'; readonly of: T; readonly versions: readonly number[] }
  | { readonly kind: 'outrun'; readonly of: T }
  | { readonly kind: 'failed'; readonly of: T; readonly error: unknown }

/**
 * One transaction if no other writer was faster. `shared` are steps all items rest on: if one of those was
 * wrong, all are outrun.
 */
export async function commitBatch<T>(
  store: Store,
  items: readonly BatchItem<T>[],
  shared: readonly WriteStep[] = [],
): Promise<readonly BatchResult<T>[]> {
  if (items.length === 0) return []
  const steps = [...shared, ...items.flatMap((item) => item.steps)]
  let commit: Commit
  try {
    commit = await store.commit(steps)
  } catch (error) {
    return await splitAndCommit(store, items, shared, error)
  }
  if (commit.kind === 'committed') return distribute(items, commit.versions.slice(shared.length))
  const wrong = new Set(commit.steps)
  if (shared.some((_, at) => wrong.has(at))) return items.map(outrun)
  const { lost, left } = partition(items, wrong, shared.length)
  // A store that names no failed step would have us ask for ever.
  if (lost.length === 0) return items.map(outrun)
  return [...lost.map(outrun), ...(await commitBatch(store, left, shared))]
}

const outrun = <T>({ of }: BatchItem<T>): BatchResult<T> => ({ kind: 'outrun', of })

/**
 * One bad item must not fail the others: the batch is halved until the bad one is alone. A store
 * that is overloaded or out of reach is no fault of a record, and asking more often does not help.
 */
async function splitAndCommit<T>(
  store: Store,
  items: readonly BatchItem<T>[],
  shared: readonly WriteStep[],
  error: unknown,
): Promise<readonly BatchResult<T>[]> {
  const isTrouble = error instanceof StatusError && (error.code === 429 || error.code >= 500)
  if (isTrouble || items.length === 1) {
    return items.map(({ of }) => ({ kind: 'failed', of, error }))
  }
  const middle = Math.ceil(items.length / 2)
  const first = await commitBatch(store, items.slice(0, middle), shared)
  return [...first, ...(await commitBatch(store, items.slice(middle), shared))]
}

function distribute<T>(
  items: readonly BatchItem<T>[],
  versions: readonly number[],
): BatchResult<T>[] {
  let at = 0
  return items.map(({ of, steps }) => {
    const its = versions.slice(at, at + steps.length)
    at += steps.length
    return { kind: 'done', of, versions: its }
  })
}

function partition<T>(items: readonly BatchItem<T>[], wrong: ReadonlySet<number>, from: number) {
  const lost: BatchItem<T>[] = []
  const left: BatchItem<T>[] = []
  let at = from
  for (const item of items) {
    const isWrong = item.steps.some((_, i) => wrong.has(at + i))
    at += item.steps.length
    ;(isWrong ? lost : left).push(item)
  }
  return { lost, left }
}

// ---- several transactions at a time -------------------------------------------------------------

/** Enough to keep a table busy, few enough not to be throttled by one partition. */
export const PARALLEL = 8

interface Limits {
  readonly isOver: () => boolean
  readonly parallel?: number
}

/** Runs jobs a few at a time, and starts no more once the time is up. Returns how many it left. */
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
