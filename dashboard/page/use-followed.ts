/** A list that stays current for as long as somebody looks at it. */
import { useEffect, useState } from 'preact/hooks'
import type { KubeObject } from '../../shared/kube/objects.ts'
import { follow, type News, type Source } from '../api/follow.ts'
import { contacts } from './contact.ts'
import { rest } from './rest.ts'
import { useSession } from './session.ts'

export interface Followed<T> {
  readonly items: ReadonlyMap<string, T>
  /** False until the first list has come. */
  readonly isLoaded: boolean
  /** The list was too long to be sent whole. */
  readonly isPartial: boolean
  readonly refused?: string
}

const nothing = { items: new Map<string, never>(), isLoaded: false, isPartial: false }

export function useFollowed<T extends KubeObject>(source: Source): Followed<T> {
  const { client } = useSession()
  const isVisible = useVisible()
  const [held, setHeld] = useState<{ path: string; followed: Followed<T> }>()
  const { path, watch, pollMs } = source
  useEffect(() => {
    // Nobody looks: the connection, and the server behind it, are of more use to others.
    if (!isVisible) return undefined
    const ending = new AbortController()
    const me = {}
    const hear = (news: News<T>) => {
      if (ending.signal.aborted) return
      if (news.kind === 'lost') return contacts.lost(me, news.why)
      contacts.heard(me, Date.now())
      if (news.kind === 'contact') return
      const followed =
        news.kind === 'data'
          ? { items: news.items, isLoaded: true, isPartial: news.isPartial }
          : { ...nothing, isLoaded: true, refused: news.why }
      setHeld({ path, followed })
    }
    const deps = { client, signal: ending.signal, random: Math.random, sleep }
    void follow({ path, watch, pollMs }, deps, hear)
    return () => {
      ending.abort()
      contacts.left(me)
    }
  }, [client, path, watch, pollMs, isVisible])
  // What was followed before is not what is asked for now.
  return held?.path === path ? held.followed : nothing
}

function useVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const look = () => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}

const CHANGED = 'leasehold-changed'

/** Somebody here has changed something: whatever is read again and again is read again now. */
export const lookAgain = (): boolean => dispatchEvent(new Event(CHANGED))

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  rest(ms, signal, { target: globalThis, word: CHANGED })
