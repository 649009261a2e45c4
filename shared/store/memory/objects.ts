import { hasExpired, keyText, type ObjectState, pageStart, whole } from '../object-state.ts'
import type { Depth, Key, Objects, PageRequest, StoredObject } from '../ports.ts'
import { lowerBound } from './lower-bound.ts'
import { type Collection, collectionOf, type Memory } from './state.ts'

export function memoryObjects(memory: Memory): Objects {
  const find = (resource: string, id: string) => {
    const found = collectionOf(memory, resource).states.get(id)
    return found && !hasExpired(found, memory.clock()) ? found : undefined
  }

  const read = (resource: string, keys: readonly Key[], depth: Depth) =>
    keys.flatMap((key) => {
      const found = find(resource, keyText(key))
      return found ? [atDepth(found, depth)] : []
    })

  return {
    async get(resource, key, depth = 'whole') {
      return read(resource, [key], depth)[0]
    },

    async read(resource, keys, depth = 'whole') {
      return read(resource, keys, depth)
    },

    async list(resource, page) {
      const collection = collectionOf(memory, resource)
      const limit = page.limit ?? Number.POSITIVE_INFINITY
      const items: StoredObject[] = []
      for (const id of idsFrom(collection, page)) {
        const found = find(resource, id)
        if (!found) continue
        if (items.length === limit) return { items, more: true, poisoned: [] }
        items.push(trimmed(atDepth(found, page.depth ?? 'whole'), page))
      }
      return { items, more: false, poisoned: [] }
    },

    async podsOn(nodeName) {
      const keys = memory.index.podsOn(nodeName).map(({ key }) => key)
      return read('pods', keys, 'whole')
    },

    async countPodsOn(nodeName) {
      return memory.index.podsOn(nodeName).length
    },

    async changes(resource, sinceVersion) {
      return memory.index.changes(resource, sinceVersion)
    },
  }
}

const trimmed = (stored: StoredObject, { trim }: PageRequest): StoredObject =>
  trim ? { ...stored, object: trim(stored.object) } : stored

const wholes = new WeakMap<ObjectState, StoredObject>()

function atDepth(state: ObjectState, depth: Depth): StoredObject {
  if (depth === 'lean') return state.lean
  const made = wholes.get(state) ?? whole(state)
  wholes.set(state, made)
  return made
}

function* idsFrom(collection: Collection, page: PageRequest): Iterable<string> {
  collection.sorted ??= [...collection.states.keys()].sort()
  const { sorted } = collection
  const prefix = page.namespace === undefined ? '' : `${page.namespace}/`
  const start = pageStart(page)
  let at = lowerBound(sorted, (id) => id < start)
  for (; at < sorted.length && sorted[at]!.startsWith(prefix); at += 1) yield sorted[at]!
}
