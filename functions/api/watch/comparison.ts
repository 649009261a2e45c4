/**
 * What did the polls miss? A full list against what was told: the index is sometimes later than it
 * usually is.
 */
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, StoredObject } from '../../../shared/store/ports.ts'
import type { Delta } from './delta.ts'
import { endOf, type IndexMemory } from './index-memory.ts'
import { OVERLAP } from './timing.ts'

/** `listVersion` is when the list began. What is younger than the overlap is left to the polls. */
export function missed(
  memory: IndexMemory,
  list: readonly StoredObject[],
  listVersion: number,
): readonly Delta[] {
  const settled = listVersion - OVERLAP
  const names = new Set(list.map(({ key }) => keyText(key)))
  const live = list.filter((item) => item.version < settled && isUntold(memory, item))
  const vanished = [...toldOrShown(memory)].filter(
    ({ key, version }) => version < settled && !names.has(keyText(key)),
  )
  return [
    ...live.map((item) => withPast(memory, item)),
    ...vanished.map((last) => endOf(last, listVersion)),
  ]
}

function isUntold(
  { known, beganVersion }: IndexMemory,
  { key, uid, version }: StoredObject,
): boolean {
  const last = known.get(keyText(key))
  if (!last) return version >= beganVersion
  return last.uid !== uid || last.version < version
}

function withPast({ known, listed }: IndexMemory, item: StoredObject): Delta {
  const last = known.get(keyText(item.key)) ?? listed.get(keyText(item.key))
  if (last?.uid !== item.uid) return changeOf(item)
  const { version, labels, fields } = last
  return { ...changeOf(item), before: { version, labels, fields }, isLeap: true }
}

function toldOrShown({ known, listed, buried }: IndexMemory): Iterable<Change> {
  const shown = [...listed].filter(([id, { uid }]) => !known.has(id) && !buried.has(uid))
  return new Map([...shown, ...known]).values()
}

export function changeOf(item: Omit<StoredObject, 'resource'>): Change {
  const { key, uid, version, createdVersion, fields } = item
  const labels = item.object.metadata.labels ?? {}
  return { key, uid, version, createdVersion, fields, labels, deleted: false }
}

/**
 * From now on everything in the list counts as told, so that the next comparison finds what
 * vanished.
 */
export function settle(
  memory: IndexMemory,
  list: readonly StoredObject[],
  listVersion: number,
): void {
  const settled = listVersion - OVERLAP
  for (const item of list) {
    const id = keyText(item.key)
    if (item.version < settled && !memory.known.has(id)) memory.known.set(id, changeOf(item))
  }
  memory.listed.clear()
}
