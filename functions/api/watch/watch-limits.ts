/** How many watches may there be, how long does each last, and how often do they poll? */
import { tooManyRequests } from '../../../shared/kube/status-error.ts'
import type { Store } from '../../../shared/store/ports.ts'

const WATCH_POLL_MS = 1_000

export interface WatchSettings {
  readonly pollMs: number
  /** Between two scans of all leases, where they are many. */
  readonly scanMs: number
  /** Between two comparisons with a full list. */
  readonly relistMs: number
  /** A watch without a timeout lasts one to two times this long. */
  readonly minTimeoutMs: number
  /** No watch lasts longer. */
  readonly maxTimeoutMs: number
  readonly maxWatches: number
  /** `shared`: counted in the table, because every watch may be in a process of its own. */
  readonly slots: 'shared' | 'local'
}

/** One long-lived process, as in local mode. */
export const LOCAL_WATCHES: WatchSettings = {
  pollMs: WATCH_POLL_MS,
  scanMs: 5_000,
  relistMs: 10 * 60_000,
  minTimeoutMs: 30 * 60_000,
  // Longer than any client asks for; timers cannot count much further.
  maxTimeoutMs: 24 * 60 * 60_000,
  maxWatches: 1_000,
  slots: 'local',
}

export const LAMBDA_WATCHES: WatchSettings = {
  ...LOCAL_WATCHES,
  maxTimeoutMs: 5 * 60_000,
  maxWatches: 50,
  slots: 'shared',
}

/** Lambda kills the function at its deadline; the last events and the slot need a moment before. */
const DEADLINE_MARGIN_MS = 5_000

export interface WatchRuntime {
  readonly clock: () => number
  readonly random: () => number
  /** When this process will be stopped from outside, if that is known (Lambda). */
  readonly deadlineMs?: () => number | undefined
}

export function watchDurationMs(
  timeoutSeconds: number | undefined,
  settings: WatchSettings,
  { clock, random, deadlineMs }: WatchRuntime,
): number {
  const chosenMs = settings.minTimeoutMs * (1 + random())
  const askedMs = timeoutSeconds === undefined ? chosenMs : timeoutSeconds * 1_000
  const leftMs = (deadlineMs?.() ?? Number.POSITIVE_INFINITY) - clock() - DEADLINE_MARGIN_MS
  return Math.max(0, Math.min(askedMs, settings.maxTimeoutMs, leftMs))
}

export type Release = () => Promise<void>

interface WatchSlots {
  /** Throws 429 when all are taken. */
  take(heldUntilMs: number): Promise<Release>
}

const SLOT_PREFIX = 'watch-slots/'

// By then a watch or two of five minutes has ended, when they began at different times.
const RETRY_AFTER_SECONDS = 10
// The first try is blind; the others know the free slots and lose only to a concurrent request.
const TRIES = 4

interface SlotDeps {
  readonly store: Store
  readonly random: () => number
  readonly maxWatches: number
}

/**
 * In Lambda each watch occupies an environment. A slot is a record that the watch creates and drops
 * again; it expires by itself when the watch died.
 */
export function sharedSlots({ store, random, maxWatches }: SlotDeps): WatchSlots {
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
      // Outrun only when it has expired and belongs to another watch by now.
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

/** In one process a watch costs little: the limit only keeps a runaway client from using it up. */
export function localSlots(maxWatches: number): WatchSlots {
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
