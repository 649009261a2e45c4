/**
 * Who may hold how many watches? All together `maxWatches`, and one identity its share of those, so
 * that no caller can hold every slot.
 */
import { createHash } from 'node:crypto'
import { tooManyRequests } from '../../../shared/kube/status-error.ts'
import type { Store, StoredRecord } from '../../../shared/store/ports.ts'
import type { LogEntry } from '../deps.ts'
import type { Timers } from './change-source.ts'

interface WatchSlot {
  /**
   * `lost` when a newer watch of the same identity has taken it over; absent where slots end with
   * their process.
   */
  readonly renew?: () => Promise<'held' | 'lost'>
  release(): Promise<void>
}

interface WatchSlots {
  /** Throws 429 when the share of this user is taken. */
  take(user: string): Promise<WatchSlot>
}

/** One informer of each kind, at least; a fifth where there are more. */
const LEAST_SHARE = 4
const SHARES = 5

export const shareOf = (maxWatches: number): number =>
  Math.max(Math.min(LEAST_SHARE, maxWatches), Math.ceil(maxWatches / SHARES))

/** `shared`: counted in the table, because every watch may be in a process of its own. */
export const watchSlots = (deps: SlotDeps & { readonly slots: 'shared' | 'local' }): WatchSlots =>
  deps.slots === 'shared' ? sharedSlots(deps) : localSlots(deps.maxWatches)

// By then a watch or two of five minutes has ended, when they began at different times.
const RETRY_AFTER_SECONDS = 10

// ---- in the table -------------------------------------------------------------------------------

const SLOT_PREFIX = 'watch-slots/'
/** What a slot outlives its process by, when that dies. */
const SLOT_KEPT_MS = 45_000
/** Two renewals may fail before the slot is given away. */
const RENEW_EVERY_MS = 15_000
/** For so long a watch is sure of its slot, so that a client beyond its share does not end its own. */
const SURE_FOR_MS = 60_000
// The first try is blind; the others know the free slots and lose only to a concurrent request.
const TRIES = 4

interface HeldSlot {
  readonly user: string
  readonly sinceMs: number
}

interface SlotDeps {
  readonly store: Store
  readonly now: () => number
  readonly random: () => number
  readonly maxWatches: number
}

/**
 * In Lambda each watch occupies an environment, and a Function URL does not tell it when its client
 * leaves: the watch goes on to its end. So a slot is a record that the watch creates, renews and
 * drops again. When the share of an identity is full, its oldest watch makes room for the new one:
 * most often that is one whose client left.
 */
function sharedSlots(deps: SlotDeps): WatchSlots {
  const { store, now, random, maxWatches } = deps

  const hold = async (user: string, name: string, believed?: number) => {
    const value: HeldSlot = { user, sinceMs: now() }
    const step = (version?: number) => ({
      do: 'putRecord' as const,
      name,
      value,
      expiresAtMs: now() + SLOT_KEPT_MS,
      ...(version !== undefined && { believed: version }),
    })
    const outcome = await store.commit([step(believed)])
    return outcome.kind === 'outrun' ? undefined : heldSlot(store, step, outcome.versions[0]!)
  }

  return {
    async take(user) {
      const share = dealt(user, maxWatches)
      const any = (names: readonly string[]) => names[Math.floor(random() * names.length)]
      let choice: { readonly name: string; readonly believed?: number } | undefined
      choice = { name: any(share)! }
      for (let tries = 0; choice && tries < TRIES; tries += 1) {
        const slot = await hold(user, choice.name, choice.believed)
        if (slot) return slot
        const taken = new Map(
          (await store.records.list<HeldSlot>(SLOT_PREFIX)).map((held) => [held.name, held]),
        )
        const free = any(share.filter((name) => !taken.has(name)))
        choice = free === undefined ? oldestOwn(user, share, taken, now()) : { name: free }
      }
      throw full(maxWatches)
    },
  }
}

/**
 * Which slots are this user's share? Drawn by the user's name, as priority and fairness in Kubernetes
 * deals each flow a hand of its queues: no count is kept, and two users have few slots in common.
 */
function dealt(user: string, maxWatches: number): readonly string[] {
  const drawn = Array.from({ length: maxWatches }, (_, slot) => {
    const name = `${SLOT_PREFIX}${slot}`
    return { name, draw: createHash('sha256').update(`${user} ${slot}`).digest('hex') }
  })
  const byDraw = drawn.toSorted((a, b) => (a.draw < b.draw ? -1 : 1))
  return byDraw.slice(0, shareOf(maxWatches)).map(({ name }) => name)
}

function oldestOwn(
  user: string,
  share: readonly string[],
  taken: ReadonlyMap<string, StoredRecord<HeldSlot>>,
  nowMs: number,
) {
  const own = share
    .flatMap((name) => taken.get(name) ?? [])
    .filter(({ value }) => value.user === user && nowMs - value.sinceMs >= SURE_FOR_MS)
    .toSorted((a, b) => a.value.sinceMs - b.value.sinceMs)
  const [oldest] = own
  return oldest && { name: oldest.name, believed: oldest.version }
}

type PutSlot = Extract<Parameters<Store['commit']>[0][number], { readonly do: 'putRecord' }>

function heldSlot(store: Store, step: (version: number) => PutSlot, first: number): WatchSlot {
  let version = first
  let renewing: Promise<unknown> | undefined
  const renew = async () => {
    const outcome = await store.commit([step(version)])
    if (outcome.kind === 'outrun') return 'lost'
    version = outcome.versions[0]!
    return 'held'
  }
  return {
    renew() {
      const renewed = renew()
      renewing = renewed.catch(() => {})
      return renewed
    },
    async release() {
      await renewing
      // Outrun only when it belongs to another watch by now.
      await store.commit([{ do: 'dropRecord', name: step(version).name, believed: version }])
    },
  }
}

interface Keeping {
  readonly timers: Timers
  readonly onLost: () => void
  readonly log: (entry: LogEntry) => void
}

/** Renews the slot until it is told to stop. While the table fails, the watch goes on. */
export function keepSlot({ renew }: WatchSlot, { timers, onLost, log }: Keeping): () => void {
  if (!renew) return () => {}
  let isOver = false
  const again = async () => {
    const held = await renew().catch(warn(log, 'a watch could not renew its slot'))
    if (held === 'lost') onLost()
    else if (!isOver) cancel = timers.after(RENEW_EVERY_MS, again)
  }
  let cancel = timers.after(RENEW_EVERY_MS, again)
  return () => {
    isOver = true
    cancel()
  }
}

/** The slot expires by itself; that is no reason to break off a stream that has ended well. */
export const giveBack = async ({ release }: WatchSlot, log: Keeping['log']): Promise<void> =>
  await release().catch(warn(log, 'a watch could not give back its slot'))

const warn = (log: Keeping['log'], message: string) => (error: unknown) =>
  log({ level: 'warn', message, error })

// ---- in one process -----------------------------------------------------------------------------

/** A watch costs little there, and ends when its client leaves. */
function localSlots(maxWatches: number): WatchSlots {
  const share = shareOf(maxWatches)
  const held = new Map<string, number>()
  let all = 0
  return {
    async take(user) {
      const own = held.get(user) ?? 0
      if (all >= maxWatches || own >= share) throw full(maxWatches)
      all += 1
      held.set(user, own + 1)
      return {
        async release() {
          all -= 1
          const left = held.get(user)! - 1
          if (left > 0) held.set(user, left)
          else held.delete(user)
        },
      }
    },
  }
}

const full = (maxWatches: number) =>
  tooManyRequests(
    `no watch is free: there are ${maxWatches}, of which one identity may hold ` +
      `${shareOf(maxWatches)}; list instead, or try again`,
    RETRY_AFTER_SECONDS,
  )
