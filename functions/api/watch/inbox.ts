/**
 * What a watch has heard and not yet sent. Bounded: a client that does not read is let go, and
 * resumes when it can.
 */
import type { Delta } from './delta.ts'
import type { Batch } from './source.ts'

// Every node of a large fleet changing twice while the client reads nothing.
const MAX_WAITING = 20_000

export interface News {
  readonly deltas: readonly Delta[]
  /** Of the last poll heard; undefined before the first. */
  readonly polledVersion: number | undefined
  readonly ended: boolean
}

export interface Inbox {
  hear(batch: Batch): void
  /** Whoever takes next gets the error thrown at them. */
  fail(error: unknown): void
  end(): void
  isEnded(): boolean
  /** Waits until there is something. */
  take(): Promise<News>
}

export function inbox(limit = MAX_WAITING): Inbox {
  let deltas: Delta[] = []
  let polledVersion: number | undefined
  let ended = false
  let failure: { readonly error: unknown } | undefined
  let isStirred = false
  let wake: (() => void) | undefined

  const stir = () => {
    isStirred = true
    wake?.()
    wake = undefined
  }

  return {
    hear(batch) {
      if (ended) return
      // What did not fit is not lost: the client has not been told of this poll and resumes from
      // before it.
      if (deltas.length + batch.deltas.length > limit && deltas.length > 0) ended = true
      else {
        for (const delta of batch.deltas) deltas.push(delta)
        polledVersion = batch.polledVersion
      }
      stir()
    },
    fail(error) {
      failure = { error }
      stir()
    },
    end() {
      ended = true
      stir()
    },
    isEnded: () => ended,
    async take() {
      if (!isStirred) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      isStirred = false
      if (failure) throw failure.error
      const news = { deltas, polledVersion, ended }
      deltas = []
      return news
    },
  }
}
