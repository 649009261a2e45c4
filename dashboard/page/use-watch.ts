/** A list that is kept current while the component is on the page and the tab is visible. */
import { useEffect, useState } from 'preact/hooks'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { sleepOrEvent } from '../api/backoff.ts'
import { type ListUpdate, type ListWatch, runReflector } from '../api/reflector.ts'
import { connection } from './connection.ts'
import { useSession } from './session.ts'
import { useBrowserValue } from './use-browser-value.ts'

export interface WatchedList<T> {
  readonly items: ReadonlyMap<string, T>
  /** False until the first list has arrived. */
  readonly isLoaded: boolean
  /** The list was too long for one answer. */
  readonly isPartial: boolean
  readonly refused?: string
}

const empty = { items: new Map<string, never>(), isLoaded: false, isPartial: false }

export function useWatch<T extends KubeObject>(source: ListWatch): WatchedList<T> {
  const { client } = useSession()
  const isVisible = useBrowserValue(document, ['visibilitychange'], () => !document.hidden)
  const [held, setHeld] = useState<{ path: string; list: WatchedList<T> }>()
  const { path, watch, pollMs } = source
  useEffect(() => {
    // A hidden tab gives its connection, and the server's watch slot, to others.
    if (!isVisible) return undefined
    const ending = new AbortController()
    const id = {}
    const onUpdate = (update: ListUpdate<T>) => {
      if (ending.signal.aborted) return
      if (update.kind === 'lost') return connection.lost(id, update.why)
      connection.heard(id, Date.now())
      if (update.kind === 'bookmark') return
      const list =
        update.kind === 'data'
          ? { items: update.items, isLoaded: true, isPartial: update.isPartial }
          : { ...empty, isLoaded: true, refused: update.why }
      setHeld({ path, list })
    }
    const deps = { client, signal: ending.signal, random: Math.random, sleep }
    void runReflector({ path, watch, pollMs }, deps, onUpdate)
    return () => {
      ending.abort()
      connection.closed(id)
    }
  }, [client, path, watch, pollMs, isVisible])
  // After a change of path the held list is of the path before.
  return held?.path === path ? held.list : empty
}

const REFRESH = 'leasehold-refresh'

/** After a write by this page: every polled list is read again now. */
export const refreshLists = (): boolean => dispatchEvent(new Event(REFRESH))

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  sleepOrEvent(ms, signal, { target: globalThis, event: REFRESH })
