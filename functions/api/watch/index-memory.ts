/**
 * What has already been told? The index is read again and again over the same few seconds, from
 * copies that are not equally late; this tells what is new in it.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change } from '../../../shared/store/ports.ts'
import { type Delta, inOrder } from './delta.ts'
import { OVERLAP } from './timing.ts'

export interface IndexMemory {
  /** Where the first poll reads from. */
  readonly beganVersion: number
  /** Everything before it has been seen. */
  horizon: number
  /** What was last told of each name, as long as it has a bearer. */
  readonly known: Map<string, Delta>
  /**
   * Ends that were told, by uid, for as long as the index may still show them or what came before.
   */
  readonly buried: Map<string, Delta>
  /** What watchers were shown in lists. */
  readonly listed: Map<string, Change>
}

export function indexMemory(nowVersion: number): IndexMemory {
  const beganVersion = nowVersion - OVERLAP
  const maps = { known: new Map(), buried: new Map(), listed: new Map() }
  return { beganVersion, horizon: beganVersion, ...maps }
}

/** Those among the changes that are news. */
export const freshOf = (memory: IndexMemory, changes: readonly Change[]): readonly Change[] =>
  latestOf(changes).filter((change) => !isTold(memory, change))

function isTold({ known, buried }: IndexMemory, { key, uid, version, deleted }: Change): boolean {
  if (buried.has(uid)) return true
  const last = known.get(keyText(key))
  return !deleted && last?.uid === uid && last.version >= version
}

/**
 * In order, with an end for every name that has a new bearer while the end of the former was not
 * seen.
 */
export function withEnds(memory: IndexMemory, deltas: readonly Delta[]): readonly Delta[] {
  const ended = new Set(deltas.filter(({ deleted }) => deleted).map(({ uid }) => uid))
  const ends = deltas.flatMap(({ key, uid, version, deleted }): Delta[] => {
    const last = deleted ? undefined : memory.known.get(keyText(key))
    const isReplaced = last && last.uid !== uid && !ended.has(last.uid)
    return isReplaced ? [endOf(last, version)] : []
  })
  return inOrder([...deltas, ...ends])
}

/** The end of something, for which there is no tombstone to be seen. */
export function endOf(last: Change, version: number): Delta {
  const { labels, fields } = last
  const before = { version: last.version, labels, fields }
  const ended = Math.max(version, last.version + 1)
  return { ...last, deleted: true, version: ended, before, isLeap: true }
}

/** In the order in which they are told. */
export function remember(memory: IndexMemory, deltas: readonly Delta[], horizon: number): void {
  const { known, buried } = memory
  for (const { object: _object, ...change } of deltas) {
    const id = keyText(change.key)
    memory.listed.delete(id)
    if (!change.deleted) known.set(id, change)
    else if (known.get(id)?.uid === change.uid) known.delete(id)
    if (change.deleted) buried.set(change.uid, change)
  }
  memory.horizon = Math.max(memory.horizon, horizon)
  for (const [uid, { version }] of buried) if (version < memory.horizon) buried.delete(uid)
}

/** What was told lately, and another copy of the index may not show yet. */
export function recent({ known, buried, horizon }: IndexMemory): readonly Delta[] {
  const told = [...known.values(), ...buried.values()]
  return told.filter(({ version }) => version >= horizon)
}

/** One change for each bearer of a name: its end if it has one, else the latest. */
export function latestOf(changes: readonly Delta[]): readonly Delta[] {
  const byUid = new Map<string, Delta>()
  for (const change of changes) {
    const last = byUid.get(change.uid)
    const isLater = !last || (!last.deleted && (change.deleted || change.version > last.version))
    if (isLater) byUid.set(change.uid, change)
  }
  return [...byUid.values()]
}
