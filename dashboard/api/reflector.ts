/**
 * Keeps one list current, like client-go's reflector: lists, then watches from that version, and
 * lists again when the watch expires. Without a watch it lists every `pollMs`. Retries for ever.
 */
import type { KubeObject } from '../../shared/kube/objects.ts'
import { backoffMs } from './backoff.ts'
import { ApiError, type KubeClient } from './client.ts'
import { applyEvents, collectionFromList, type KubeList } from './collection.ts'
import { watchOnce } from './watch-stream.ts'

export interface ListWatch {
  /** With its selectors, without `watch`. */
  readonly path: string
  /** A browser has six connections for all its tabs, so a view watches at most one list. */
  readonly watch: boolean
  readonly pollMs: number
}

export type ListUpdate<T> =
  | { readonly kind: 'data'; readonly items: ReadonlyMap<string, T>; readonly isPartial: boolean }
  /** The server is there, and nothing has changed. */
  | { readonly kind: 'bookmark' }
  | { readonly kind: 'lost'; readonly why: string }
  /** Final: the caller may not see this list. */
  | { readonly kind: 'refused'; readonly why: string }

interface ReflectorDeps {
  readonly client: KubeClient
  readonly signal: AbortSignal
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly idleTimeoutMs?: number
}

/** Shorter than what Lambda allows a watch, so that the server ends it cleanly. */
const WATCH_SECONDS = 280
/** The server sends a bookmark every minute, if nothing else. */
const IDLE_TIMEOUT_MS = 100_000

export async function runReflector<T extends KubeObject>(
  source: ListWatch,
  deps: ReflectorDeps,
  onUpdate: (update: ListUpdate<T>) => void,
): Promise<void> {
  let failures = 0
  while (!deps.signal.aborted) {
    try {
      await listAndWatch<T>(source, deps, (update) => {
        failures = 0
        onUpdate(update)
      })
    } catch (error) {
      if (deps.signal.aborted) return
      if (isRefusal(error)) return onUpdate({ kind: 'refused', why: error.message })
      onUpdate({ kind: 'lost', why: (error as Error).message })
      await deps.sleep(backoffMs(++failures, deps.random()), deps.signal)
    }
  }
}

/** A 403 or 404 without a reason comes from a gateway in between, and may pass. */
function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false
  return error.code === 401 || ([403, 404].includes(error.code) && error.reason !== '')
}

/** Returns when another list is due. */
async function listAndWatch<T extends KubeObject>(
  source: ListWatch,
  deps: ReflectorDeps,
  onUpdate: (update: ListUpdate<T>) => void,
): Promise<void> {
  const list = await deps.client.get<KubeList<T>>(source.path, { signal: deps.signal })
  let collection = collectionFromList(list)
  const isPartial = Boolean(list.metadata.continue)
  const show = () => onUpdate({ kind: 'data', items: collection.items, isPartial })
  show()
  if (!source.watch) return await deps.sleep(source.pollMs, deps.signal)

  const { client, signal, idleTimeoutMs = IDLE_TIMEOUT_MS } = deps
  for (;;) {
    const before = collection.version
    const outcome = await watchOnce(watchPath(source.path, before), {
      client,
      signal,
      idleTimeoutMs,
      onEvents(events) {
        const next = applyEvents(collection, events)
        const hasChanged = events.some(({ type }) => type !== 'BOOKMARK')
        collection = hasChanged ? next : { ...collection, version: next.version }
        if (hasChanged) show()
        else onUpdate({ kind: 'bookmark' })
      },
    })
    if (outcome === 'unavailable') return await deps.sleep(source.pollMs, signal)
    if (outcome === 'expired') return
    // A server that ends every watch at once must not be asked in a tight loop.
    if (collection.version === before) await deps.sleep(backoffMs(2, deps.random()), signal)
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
