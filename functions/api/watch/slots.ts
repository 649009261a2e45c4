/**
 * How many watches may there be? In Lambda each occupies an environment, so there are only so many
 * slots, each a record that whoever creates it holds. A slot expires by itself, for those whose
 * holder died.
 */
import { tooManyRequests } from '../../../shared/kube/status-error.ts'
import type { Store } from '../../../shared/store/ports.ts'

export type Release = () => Promise<void>

export interface Slots {
  /** Throws 429 when all are taken. */
  take(heldUntilMs: number): Promise<Release>
}

export const SLOT_PREFIX = 'watch-slots/'

// By then a watch or two of five minutes has ended, when they began at different times.
const RETRY_AFTER_SECONDS = 10
// The first try is blind, the others know what is free and lose only to somebody as quick.
const TRIES = 4

export interface SlotDeps {
  readonly store: Store
  readonly random: () => number
  readonly maxWatches: number
}

export function sharedSlots({ store, random, maxWatches }: SlotDeps): Slots {
  const every = Array.from({ length: maxWatches }, (_, slot) => `${SLOT_PREFIX}${slot}`)
  const anyOf = (names: readonly string[]) => names[Math.floor(random() * names.length)]

  const free = async () => {
    const taken = new Set((await store.records.list(SLOT_PREFIX)).map(({ name }) => name))
    return every.filter((name) => !taken.has(name))
  }

  const hold = async (name: string, expiresAtMs: number): Promise<Release | undefined> => {
    const outcome = await store.commit([{ do: 'putRecord', name, value: {}, expiresAtMs }])
    if (outcome.kind === 'outrun') return undefined
    const believed = outcome.versions[0]!
    return async () => {
      // Lost only when it expired and is somebody else's by now.
      await store.commit([{ do: 'dropRecord', name, believed }])
    }
  }

  return {
    async take(heldUntilMs) {
      let candidates = every
      for (let tries = 0; tries < TRIES; tries += 1) {
        const name = anyOf(candidates)
        if (name === undefined) break
        const release = await hold(name, heldUntilMs)
        if (release) return release
        candidates = await free()
      }
      throw full(maxWatches)
    },
  }
}

/**
 * In one process of our own a watch costs little: the bound only keeps a runaway client from using
 * it up.
 */
export function localSlots(maxWatches: number): Slots {
  let taken = 0
  return {
    async take() {
      if (taken >= maxWatches) throw full(maxWatches)
      taken += 1
      return async () => {
        taken -= 1
      }
    },
  }
}

const full = (maxWatches: number) =>
  tooManyRequests(
    `all ${maxWatches} watches are taken; list instead, or try again`,
    RETRY_AFTER_SECONDS,
  )
