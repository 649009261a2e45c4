/** Counts what is asked of a store, by the name of the call. */
import type { Store } from '../../../../shared/store/ports.ts'

export interface Counts {
  readonly calls: Map<string, number>
  /** Objects asked for by key. */
  keys: number
  clear(): void
}

export function counting(counts: Counts): (store: Store) => Store {
  const count = (name: string) => counts.calls.set(name, (counts.calls.get(name) ?? 0) + 1)
  const counted = <T extends object>(part: T, prefix: string): T =>
    new Proxy(part, {
      get(target, name) {
        const found = Reflect.get(target, name)
        if (typeof found !== 'function') return found
        return (...args: unknown[]) => {
          count(`${prefix}.${String(name)}`)
          const [, keys] = args
          if (name === 'read' && Array.isArray(keys)) counts.keys += keys.length
          return found.apply(target, args)
        }
      },
    })
  return (store) => ({
    ...store,
    objects: counted(store.objects, 'objects'),
    leases: counted(store.leases, 'leases'),
    records: counted(store.records, 'records'),
    commit: (steps) => {
      count('commit')
      return store.commit(steps)
    },
  })
}

export function counts(): Counts {
  const calls = new Map<string, number>()
  return {
    calls,
    keys: 0,
    clear() {
      calls.clear()
      this.keys = 0
    },
  }
}
