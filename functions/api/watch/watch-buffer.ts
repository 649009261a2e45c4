/**
 * Changes that a watch has received and not yet sent. Bounded: the watch of a client that does not
 * read is ended, and the client resumes when it can.
 */
import type { Delta, PollResult } from './change-source.ts'

// Every node of a large fleet changing twice while the client reads nothing.
const MAX_WAITING = 20_000

export interface BufferedChanges {
  readonly deltas: readonly Delta[]
  /** Of the last poll received; undefined before the first. */
  readonly polledVersion: number | undefined
  readonly ended: boolean
}

export interface WatchBuffer {
  receive(result: PollResult): void
  /** The next `take` throws the error. */
  fail(error: unknown): void
  end(): void
  isEnded(): boolean
  /** Waits until there is something. */
  take(): Promise<BufferedChanges>
}

export function watchBuffer(limit = MAX_WAITING): WatchBuffer {
  let deltas: Delta[] = []
  let polledVersion: number | undefined
  let ended = false
  let failure: { readonly error: unknown } | undefined
  let hasSomething = false
  let wake: (() => void) | undefined

  const notify = () => {
    hasSomething = true
    wake?.()
    wake = undefined
  }

  return {
    receive(result) {
      if (ended) return
      // What did not fit is not lost: the client has not seen this poll's version and resumes from
      // before it.
      if (deltas.length + result.deltas.length > limit && deltas.length > 0) ended = true
      else {
        for (const delta of result.deltas) deltas.push(delta)
        polledVersion = result.polledVersion
      }
      notify()
    },
    fail(error) {
      failure = { error }
      notify()
    },
    end() {
      ended = true
      notify()
    },
    isEnded: () => ended,
    async take() {
      if (!hasSomething) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      hasSomething = false
      if (failure) throw failure.error
      const taken = { deltas, polledVersion, ended }
      deltas = []
      return taken
    },
  }
}
