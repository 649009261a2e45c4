/** Counts the calls of a store. */
import type { Store } from '../../shared/store/ports.ts'
import { wrappedStore } from './wrapped-store.ts'

export interface StoreCalls {
  /** Every call by its name, in order. */
  readonly names: string[]
  /** How many objects were asked for by `objects.read`. */
  keys: number
  /** The same names with how often each was called. */
  counts(): Readonly<Record<string, number>>
  clear(): void
}

export function storeCalls(): StoreCalls {
  const names: string[] = []
  return {
    names,
    keys: 0,
    counts() {
      const byName = Map.groupBy(names, (name) => name)
      return Object.fromEntries([...byName].map(([name, all]) => [name, all.length]))
    },
    clear() {
      names.length = 0
      this.keys = 0
    },
  }
}

export function countingStore(store: Store, calls: StoreCalls): Store {
  return wrappedStore(store, {
    call: (name, act, args) => {
      calls.names.push(name)
      if (name === 'objects.read') calls.keys += (args[1] as readonly unknown[]).length
      return act()
    },
    pages: (name, read) => {
      calls.names.push(name)
      return read()
    },
  })
}
