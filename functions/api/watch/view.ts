/**
 * What does this client have, and what must it be told? An object that begins to match a selector
 * is ADDED, one that ceases to is DELETED. Where it is not known what the client has, it is told
 * too much rather than too little: a DELETED for what it never had is harmless, an object that
 * nobody takes away again is not.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change } from '../../../shared/store/ports.ts'
import type { Delta } from './delta.ts'
import type { Matcher } from './matcher.ts'
import { OVERLAP } from './timing.ts'

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED'

export interface ViewOptions {
  readonly matcher: Matcher
  /**
   * What the client has seen when the watch begins: the version it named, or that of its initial
   * list.
   */
  readonly startVersion: number
  /** It was sent everything there is, so that what it was not sent it does not have. */
  readonly isComplete: boolean
}

export interface View {
  /** Sent outside of a delta: the items of an initial list. */
  sent(item: Pick<Change, 'key' | 'uid' | 'version'>): void
  wants(change: Delta): boolean
  /** What to send, if anything; counts as sent. */
  tell(delta: Delta): EventType | undefined
  /**
   * Forgets what was sent. A steady watch needs it only while polls may still repeat what a list
   * has shown; later its memory would be a list of everything.
   */
  settle(): void
}

type Held = { readonly uid: string; readonly version: number } | 'nothing'

export function view({ matcher, startVersion, isComplete }: ViewOptions): View {
  const held = new Map<string, Held>()
  let isForgetful = false

  const set = (change: Pick<Change, 'key' | 'uid' | 'version'>, now: 'has' | 'nothing') => {
    if (isForgetful) return
    const { uid, version } = change
    held.set(keyText(change.key), now === 'has' ? { uid, version } : now)
  }

  /** Whether the client has this name, when this view has never said anything about it. */
  const mayHave = (delta: Delta): boolean => {
    const { createdVersion, version, before, isLeap } = delta
    if (isForgetful) return true
    if (isComplete || createdVersion > startVersion + OVERLAP) return false
    if (isLeap) return true
    if (!before) return version !== createdVersion || matcher.matches(delta)
    // What was there before the watch began, the client has, unless it saw something in between.
    if (before.version < startVersion - OVERLAP) return matcher.matches(before)
    return matcher.matchesLabels(before.labels) || !isSettled(delta)
  }

  /** Whether its last labels were its labels in every state that the client can have seen. */
  const isSettled = ({ createdVersion, before }: Delta): boolean => {
    const { labelsSince } = before ?? {}
    if (labelsSince === undefined) return false
    return labelsSince < startVersion - OVERLAP || labelsSince === createdVersion
  }

  const remove = (delta: Delta, has: Held | undefined): EventType | undefined => {
    // The end of a former bearer of the name says nothing about the one the client has.
    if (has === 'nothing' || (has && delta.deleted && has.uid !== delta.uid)) return undefined
    // That it does not have this one does not say that it has no other of the name.
    if (has === undefined && !mayHave(delta)) return undefined
    set(delta, 'nothing')
    return 'DELETED'
  }

  const show = (delta: Delta, has: Held | undefined): EventType | undefined => {
    if (!delta.object || isNoNews(delta, has)) return undefined
    set(delta, 'has')
    if (has !== undefined) return has === 'nothing' || has.uid !== delta.uid ? 'ADDED' : 'MODIFIED'
    if (isForgetful) return delta.before ? 'MODIFIED' : 'ADDED'
    return delta.createdVersion >= startVersion - OVERLAP || !mayHave(delta) ? 'ADDED' : 'MODIFIED'
  }

  return {
    sent: (item) => set(item, 'has'),
    wants(change) {
      if (!matcher.covers(change.key)) return false
      if (matcher.isSteady || matcher.matches(change)) return true
      const has = held.get(keyText(change.key))
      return has === undefined ? mayHave(change) : has !== 'nothing'
    },
    tell(delta) {
      if (!matcher.covers(delta.key)) return undefined
      const has = held.get(keyText(delta.key))
      return delta.deleted || !matcher.matches(delta) ? remove(delta, has) : show(delta, has)
    },
    settle() {
      if (!matcher.isSteady) return
      isForgetful = true
      held.clear()
    },
  }
}

const isNoNews = (delta: Delta, has: Held | undefined): boolean =>
  typeof has === 'object' && has.uid === delta.uid && has.version >= delta.version
