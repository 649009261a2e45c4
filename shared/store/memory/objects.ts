import { hasLapsed, keyText, type ObjectState, pageStart, whole } from '../object-state.ts'
import type { Depth, Key, Objects, PageRequest, StoredObject } from '../ports.ts'
import { type Memory, type Shelf, shelfOf } from './state.ts'

export function memoryObjects(memory: Memory): Objects {
  const find = (resource: string, id: string) => {
    const found = shelfOf(memory, resource).states.get(id)
    return found && !hasLapsed(found, memory.clock()) ? found : undefined
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
      const shelf = shelfOf(memory, resource)
      const limit = page.limit ?? Number.POSITIVE_INFINITY
      const items: StoredObject[] = []
      for (const id of idsFrom(shelf, page)) {
        const found = find(resource, id)
        if (!found) continue
        if (items.length === limit) return { items, more: true, poisoned: [] }
        items.push(atDepth(found, page.depth ?? 'whole'))
      }
      return { items, more: false, poisoned: [] }
    },

    async podsOn(nodeName) {
      const keys = memory.index.podsOn(nodeName).map(({ key }) => key)
      return read('pods', keys, 'whole')
    },

    async changes(resource, sinceVersion) {
      return memory.index.changes(resource, sinceVersion)
    },
  }
}

const wholes = new WeakMap<ObjectState, StoredObject>()

function atDepth(state: ObjectState, depth: Depth): StoredObject {
  if (depth === 'lean') return state.lean
  const made = wholes.get(state) ?? whole(state)
  wholes.set(state, made)
  return made
}

function* idsFrom(shelf: Shelf, page: PageRequest): Iterable<string> {
  shelf.sorted ??= [...shelf.states.keys()].sort()
  const { sorted } = shelf
  const prefix = page.namespace === undefined ? '' : `${page.namespace}/`
  let at = firstFrom(sorted, pageStart(page))
  for (; at < sorted.length && sorted[at]!.startsWith(prefix); at += 1) yield sorted[at]!
}

function firstFrom(sorted: readonly string[], text: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < text) low = middle + 1
    else high = middle
  }
  return low
}
