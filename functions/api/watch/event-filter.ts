/**
 * Which event does a change mean to this client? An object that begins to match the selectors is
 * ADDED, one that ceases to is DELETED. Where it is not known what the client has, it is told too
 * much rather than too little: a DELETED for an object it never had is harmless, an object that is
 * never taken away again is not.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change } from '../../../shared/store/ports.ts'
import type { Selection } from '../request/selection.ts'
import type { Delta } from './change-source.ts'
import { OVERLAP } from './watch-options.ts'

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED'

interface EventFilterOptions {
  readonly selection: Pick<Selection, 'isByName' | 'covers' | 'matchesState' | 'matchesLabels'>
  /** What the client has seen at the start: the version it named, or that of its initial list. */
  readonly startVersion: number
  /** The client was sent every object, so it has no other. */
  readonly isComplete: boolean
}

type Named = Pick<Change, 'key' | 'uid' | 'version'>

export interface EventFilter {
  /** Sent outside of a delta: the items of an initial list. */
  markSent(item: Named): void
  wants(change: Delta): boolean
  /** The event to send, if any; counts as sent. */
  eventTypeFor(delta: Delta): WatchEventType | undefined
  /**
   * Forgets what was sent. A watch by name only needs it while polls may repeat what a list has
   * shown; kept longer, it would become a list of every object.
   */
  forgetSent(): void
}

type Sent = { readonly uid: string; readonly version: number } | 'deleted'

export function eventFilter({
  selection,
  startVersion,
  isComplete,
}: EventFilterOptions): EventFilter {
  const sent = new Map<string, Sent>()
  let hasForgotten = false

  const set = ({ key, uid, version }: Named, now: 'has' | 'deleted') => {
    if (!hasForgotten) sent.set(keyText(key), now === 'has' ? { uid, version } : now)
  }

  /** Whether the client has this name, when this watch has sent nothing about it. */
  const mayHave = (delta: Delta): boolean => {
    const { createdVersion, version, before, mayHaveSkipped } = delta
    if (hasForgotten) return true
    if (isComplete || createdVersion > startVersion + OVERLAP) return false
    if (mayHaveSkipped) return true
    if (!before) return version !== createdVersion || selection.matchesState(delta)
    // The client has the state from before the watch, unless it saw another one in between.
    if (before.version < startVersion - OVERLAP) return selection.matchesState(before)
    return selection.matchesLabels(before.labels) || !hasSteadyLabels(delta)
  }

  /** Whether its last labels were its labels in every state that the client can have seen. */
  const hasSteadyLabels = ({ createdVersion, before }: Delta): boolean => {
    const { labelsSince } = before ?? {}
    if (labelsSince === undefined) return false
    return labelsSince < startVersion - OVERLAP || labelsSince === createdVersion
  }

  const remove = (delta: Delta, last: Sent | undefined): WatchEventType | undefined => {
    // The deletion of an earlier object of the name is not that of the one the client has.
    if (last === 'deleted' || (last && delta.deleted && last.uid !== delta.uid)) return undefined
    // Not recorded as deleted: the client may have another object of the name.
    if (last === undefined && !mayHave(delta)) return undefined
    set(delta, 'deleted')
    return 'DELETED'
  }

  const show = (delta: Delta, last: Sent | undefined): WatchEventType | undefined => {
    if (!delta.object || isOldNews(delta, last)) return undefined
    set(delta, 'has')
    if (last !== undefined) {
      return last === 'deleted' || last.uid !== delta.uid ? 'ADDED' : 'MODIFIED'
    }
    if (hasForgotten) return delta.before ? 'MODIFIED' : 'ADDED'
    return delta.createdVersion >= startVersion - OVERLAP || !mayHave(delta) ? 'ADDED' : 'MODIFIED'
  }

  return {
    markSent: (item) => set(item, 'has'),
    wants(change) {
      if (!selection.covers(change.key)) return false
      if (selection.isByName || selection.matchesState(change)) return true
      const last = sent.get(keyText(change.key))
      return last === undefined ? mayHave(change) : last !== 'deleted'
    },
    eventTypeFor(delta) {
      if (!selection.covers(delta.key)) return undefined
      const last = sent.get(keyText(delta.key))
      const isGone = delta.deleted || !selection.matchesState(delta)
      return isGone ? remove(delta, last) : show(delta, last)
    },
    forgetSent() {
      if (!selection.isByName) return
      hasForgotten = true
      sent.clear()
    },
  }
}

const isOldNews = (delta: Delta, last: Sent | undefined): boolean =>
  typeof last === 'object' && last.uid === delta.uid && last.version >= delta.version
