/**
 * Many small wishes as few transactions. Each wish is a few steps that state what they believed;
 * those whose belief was wrong drop out as `outrun` and the rest are sent again.
 */
import { StatusError } from '../../../shared/kube/status-error.ts'
import type { Commit, Step, Store } from '../../../shared/store/ports.ts'

export interface Wish<T> {
  readonly of: T
  readonly steps: readonly Step[]
}

export type Fate<T> =
  | { readonly kind: 'done'; readonly of: T; readonly versions: readonly number[] }
  | { readonly kind: 'outrun'; readonly of: T }
  | { readonly kind: 'failed'; readonly of: T; readonly error: unknown }

/**
 * One transaction if nobody was faster. `shared` are steps all wishes rest on: if one of those was
 * wrong, all are outrun.
 */
export async function commitTogether<T>(
  store: Store,
  wishes: readonly Wish<T>[],
  shared: readonly Step[] = [],
): Promise<readonly Fate<T>[]> {
  if (wishes.length === 0) return []
  const steps = [...shared, ...wishes.flatMap((wish) => wish.steps)]
  let commit: Commit
  try {
    commit = await store.commit(steps)
  } catch (error) {
    return await apart(store, wishes, shared, error)
  }
  if (commit.kind === 'committed') return shareOut(wishes, commit.versions.slice(shared.length))
  const wrong = new Set(commit.steps)
  if (shared.some((_, at) => wrong.has(at))) return wishes.map(outrun)
  const { lost, left } = sortOut(wishes, wrong, shared.length)
  // A store that names nobody would have us ask for ever.
  if (lost.length === 0) return wishes.map(outrun)
  return [...lost.map(outrun), ...(await commitTogether(store, left, shared))]
}

const outrun = <T>({ of }: Wish<T>): Fate<T> => ({ kind: 'outrun', of })

/**
 * One bad record must not take the others along: halves, until the bad one stands alone. A store
 * that is overloaded or out of reach is no fault of a record, and asking more often helps nobody.
 */
async function apart<T>(
  store: Store,
  wishes: readonly Wish<T>[],
  shared: readonly Step[],
  error: unknown,
): Promise<readonly Fate<T>[]> {
  const isTrouble = error instanceof StatusError && (error.code === 429 || error.code >= 500)
  if (isTrouble || wishes.length === 1) {
    return wishes.map(({ of }) => ({ kind: 'failed', of, error }))
  }
  const middle = Math.ceil(wishes.length / 2)
  const first = await commitTogether(store, wishes.slice(0, middle), shared)
  return [...first, ...(await commitTogether(store, wishes.slice(middle), shared))]
}

function shareOut<T>(wishes: readonly Wish<T>[], versions: readonly number[]): Fate<T>[] {
  let at = 0
  return wishes.map(({ of, steps }) => {
    const its = versions.slice(at, at + steps.length)
    at += steps.length
    return { kind: 'done', of, versions: its }
  })
}

function sortOut<T>(wishes: readonly Wish<T>[], wrong: ReadonlySet<number>, from: number) {
  const lost: Wish<T>[] = []
  const left: Wish<T>[] = []
  let at = from
  for (const wish of wishes) {
    const isWrong = wish.steps.some((_, i) => wrong.has(at + i))
    at += wish.steps.length
    ;(isWrong ? lost : left).push(wish)
  }
  return { lost, left }
}
