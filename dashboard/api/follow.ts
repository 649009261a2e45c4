/**
 * Keeps one list current. Lists, then watches where that was asked for, else lists again every few
 * seconds; goes on after every failure and says what it knows and since when it has heard nothing.
 */
import type { KubeObject } from '../../shared/kube/objects.ts'
import { backoffMs } from './backoff.ts'
import { ApiError, type Client } from './client.ts'
import { applyEvents, collectionOf, type KubeList, type WatchEvent } from './collection.ts'
import { chunksOf, linesOf } from './lines.ts'
import { ear } from './silence.ts'

export interface Source {
  /** With its selectors, without `watch`. */
  readonly path: string
  /** A browser has six connections for all its tabs, so a view watches at most one list. */
  readonly watch: boolean
  readonly pollMs: number
}

export type News<T> =
  | { readonly kind: 'data'; readonly items: ReadonlyMap<string, T>; readonly isPartial: boolean }
  /** Heard from the server, and nothing has changed. */
  | { readonly kind: 'contact' }
  | { readonly kind: 'lost'; readonly why: string }
  /** Asking again would not help: the caller may not see this. */
  | { readonly kind: 'refused'; readonly why: string }

export interface FollowDeps {
  readonly client: Client
  readonly signal: AbortSignal
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Longer than this a watch is never silent. */
  readonly silenceMs?: number
}

/** Shorter than what Lambda allows a watch, so that the end is a clean one. */
const WATCH_SECONDS = 280
/** The server sends a bookmark every minute, if nothing else. */
const SILENCE_MS = 100_000
/** Events that come close together are shown together. */
const GATHER_MS = 50

export async function follow<T extends KubeObject>(
  source: Source,
  deps: FollowDeps,
  tell: (news: News<T>) => void,
): Promise<void> {
  let failures = 0
  while (!deps.signal.aborted) {
    try {
      await round<T>(source, deps, (news) => {
        failures = 0
        tell(news)
      })
    } catch (error) {
      if (deps.signal.aborted) return
      if (isRefusal(error)) return tell({ kind: 'refused', why: error.message })
      tell({ kind: 'lost', why: (error as Error).message })
      await deps.sleep(backoffMs(++failures, deps.random()), deps.signal)
    }
  }
}

/** Only the service itself gives a reason; a gateway that has lost its way finds it again. */
function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.code === 401 || ([403, 404].includes(error.code) && error.reason !== '')
}

/** A list and what follows from it, until another list is due. */
async function round<T extends KubeObject>(
  source: Source,
  deps: FollowDeps,
  tell: (news: News<T>) => void,
): Promise<void> {
  const list = await deps.client.get<KubeList<T>>(source.path, { signal: deps.signal })
  let collection = collectionOf(list)
  const isPartial = Boolean(list.metadata.continue)
  const show = () => tell({ kind: 'data', items: collection.items, isPartial })
  show()
  if (!source.watch) return await deps.sleep(source.pollMs, deps.signal)

  for (;;) {
    const before = collection.version
    const path = watchPath(source.path, before)
    const outcome = await watchOnce(path, deps, (events) => {
      const next = applyEvents(collection, events)
      const isNews = events.some(({ type }) => type !== 'BOOKMARK')
      collection = isNews ? next : { ...collection, version: next.version }
      if (isNews) show()
      else tell({ kind: 'contact' })
    })
    if (outcome === 'unavailable') return await deps.sleep(source.pollMs, deps.signal)
    if (outcome === 'expired') return
    // A server that ends a watch as soon as it was opened must not be asked in a loop.
    if (collection.version === before) await deps.sleep(backoffMs(2, deps.random()), deps.signal)
  }
}

function watchPath(path: string, version: string): string {
  const [base, text = ''] = path.split('?')
  const query = new URLSearchParams(text)
  query.delete('limit')
  query.set('watch', 'true')
  query.set('allowWatchBookmarks', 'true')
  query.set('timeoutSeconds', String(WATCH_SECONDS))
  query.set('resourceVersion', version)
  return `${base}?${query}`
}

type WatchOutcome = 'ended' | 'expired' | 'unavailable'

async function watchOnce(
  path: string,
  deps: FollowDeps,
  hear: (events: readonly WatchEvent[]) => void,
): Promise<WatchOutcome> {
  const listening = ear(deps.signal, deps.silenceMs ?? SILENCE_MS)
  const gathered = gather(hear)
  try {
    const opened = await openWatch(path, { ...deps, signal: listening.signal })
    if (opened === 'unavailable' || opened === 'expired') return opened
    for await (const line of linesOf(listening.through(chunksOf(opened)))) {
      const event = JSON.parse(line) as WatchEvent
      if (event.type === 'ERROR') return 'expired'
      gathered.add(event)
    }
    return 'ended'
  } catch (error) {
    // The next list shows whether anybody is there, and what was missed.
    if (listening.heardNothing()) return 'expired'
    throw error
  } finally {
    listening.end()
    gathered.flush()
  }
}

async function openWatch(path: string, { client, signal }: FollowDeps) {
  try {
    return await client.open(path, signal)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.code === 410) return 'expired'
    // No watches here, or no slot free: lists every few seconds do as well.
    if ([405, 429, 503].includes(error.code)) return 'unavailable'
    throw error
  }
}

function gather(hear: (events: readonly WatchEvent[]) => void) {
  const waiting: WatchEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length > 0) hear(waiting.splice(0))
  }
  return {
    flush,
    add(event: WatchEvent) {
      waiting.push(event)
      timer ??= setTimeout(flush, GATHER_MS)
    },
  }
}
