/**
 * All objects of one resource as last seen, and the pods among them by node. Read whole when the
 * monitor starts and every ten minutes, in between only what changed. It may lag behind: every write
 * states the version it was decided on.
 */

import type { KubeObject } from '../../../shared/kube/objects.ts'
import { MONITOR_OVERLAP_MS } from '../../../shared/lifecycle/clock-bounds.ts'
import type { KnownPod } from '../../../shared/lifecycle/world.ts'
import { keyText } from '../../../shared/store/object-state.ts'
import type { Change, Key, Store, StoredObject } from '../../../shared/store/ports.ts'
import { inChunks } from '../apply/commit-batch.ts'

export interface ObjectCache extends KnownObjects {
  /** `poisoned` are stored records that could not be read and are left out. */
  refresh(nowMs: number): Promise<{ readonly poisoned: number }>
  /** These, read consistently. */
  reread(keys: readonly Key[]): Promise<void>
}

interface KnownObjects {
  /** By `namespace/name`. */
  readonly objects: ReadonlyMap<string, StoredObject>
  /** Also for what we have just written ourselves, which saves reading it. */
  put(object: StoredObject): void
  drop(key: Key): void
  /** Called for every difference from now on: what there was, what there is. */
  onChange(listener: OnChange): void
}

type OnChange = (before: StoredObject | undefined, after: StoredObject | undefined) => void

/** What an index lost for longer than the overlap is found again then. */
const WHOLE_EVERY_MS = 600_000
/** Changed objects are read whole before they are trimmed: this many are in memory at once. */
const READ_TOGETHER = 400

type Trim = (object: KubeObject) => KubeObject

/** `trim` says what is kept of each object; everything unless told. */
export function objectCache(store: Store, resource: string, trim?: Trim): ObjectCache {
  const known = knownObjects(trim)
  let wholeAtMs = Number.NEGATIVE_INFINITY
  let seenAtMs = 0

  const reread = async (keys: readonly Key[]) => {
    for (const chunk of inChunks(keys, READ_TOGETHER)) {
      const found = await store.objects.read(resource, chunk, 'lean')
      const present = new Set(found.map(({ key }) => keyText(key)))
      for (const object of found) known.put(object)
      for (const key of chunk) if (!present.has(keyText(key))) known.drop(key)
    }
  }

  const readChanges = async () => {
    const sinceVersion = (seenAtMs - MONITOR_OVERLAP_MS) * 1_000
    const changes = await store.objects.changes(resource, sinceVersion)
    await reread(changes.filter((change) => isNews(known, change)).map(({ key }) => key))
  }

  return Object.assign(known, {
    reread,
    async refresh(nowMs: number) {
      const isWhole = nowMs - wholeAtMs >= WHOLE_EVERY_MS
      let poisoned = 0
      if (isWhole) poisoned = await readAll(store, resource, known, trim)
      else await readChanges()
      // Set after success only: a refresh that failed half-way starts again from the last complete one.
      if (isWhole) wholeAtMs = nowMs
      seenAtMs = nowMs
      return { poisoned }
    },
  })
}

function knownObjects(trim?: Trim): KnownObjects {
  const objects = new Map<string, StoredObject>()
  const listeners: OnChange[] = []
  const change: OnChange = (before, after) => {
    for (const listener of listeners) listener(before, after)
  }
  return {
    objects,
    put(next) {
      const id = keyText(next.key)
      const before = objects.get(id)
      // Reads and our own writes may arrive in any order: the newest wins.
      if (before?.uid === next.uid && before.version >= next.version) return
      const kept = trim ? { ...next, object: trim(next.object) } : next
      objects.set(id, kept)
      change(before, kept)
    },
    drop(key) {
      const id = keyText(key)
      const before = objects.get(id)
      if (before && objects.delete(id)) change(before, undefined)
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

/** Returns how many stored records could not be read. */
async function readAll(
  store: Store,
  resource: string,
  known: KnownObjects,
  trim: Trim | undefined,
): Promise<number> {
  // Without a limit: the store then reads its shards in parallel.
  const { items, poisoned } = await store.objects.list(resource, { depth: 'lean', trim })
  const present = new Set(items.map(({ key }) => keyText(key)))
  for (const object of items) known.put(object)
  for (const { key } of [...known.objects.values()]) {
    if (!present.has(keyText(key))) known.drop(key)
  }
  return poisoned.length
}

/** A tombstone of an object that we know as newer, or under another uid, is no news. */
function isNews({ objects }: KnownObjects, change: Change): boolean {
  const found = objects.get(keyText(change.key))
  if (change.deleted) return found?.uid === change.uid
  return found?.uid !== change.uid || found.version < change.version
}

/** Pods as a decision wants them: by node, unbound ones under the empty name. */
export interface PodsByNode {
  readonly byNode: ReadonlyMap<string, readonly KnownPod[]>
  onChange(before: StoredObject | undefined, after: StoredObject | undefined): void
  /** Pods that became bound since the last completed tick, or are owed a mark from it. */
  bound(): readonly KnownPod[]
  forgetBound(count: number): void
  owe(pods: readonly KnownPod[]): void
}

export function podsByNode(): PodsByNode {
  const byNode = new Map<string, KnownPod[]>()
  const bound: KnownPod[] = []

  const remove = (pod: StoredObject) => {
    const node = nodeOf(pod)
    const left = (byNode.get(node) ?? []).filter(({ uid }) => uid !== pod.uid)
    if (left.length > 0) byNode.set(node, left)
    else byNode.delete(node)
  }

  return {
    byNode,
    onChange(before, after) {
      if (before) remove(before)
      if (!after) return
      const node = nodeOf(after)
      const pods = byNode.get(node)
      if (pods) pods.push(after as KnownPod)
      else byNode.set(node, [after as KnownPod])
      const isBound = node !== '' && !(before?.uid === after.uid && nodeOf(before) === node)
      if (isBound) bound.push(after as KnownPod)
    },
    bound: () => bound,
    forgetBound: (count) => void bound.splice(0, count),
    owe: (pods) => void bound.push(...pods),
  }
}

const nodeOf = (pod: StoredObject) => (pod as KnownPod).object.spec?.nodeName ?? ''
