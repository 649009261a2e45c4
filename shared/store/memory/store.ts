/**
 * The whole store in the memory of one process: what the DynamoDB store does, for tests and
 * simulations.
 */
import { hasLapsed } from '../object-state.ts'
import type { Records, Store, StoredRecord } from '../ports.ts'
import { type Clock, stamps } from '../stamps.ts'
import { memoryCommit } from './commit.ts'
import { indexView } from './index-view.ts'
import { memoryLeases } from './leases.ts'
import { memoryObjects } from './objects.ts'
import type { Memory } from './state.ts'

export interface MemoryOptions {
  readonly clock: Clock
  /**
   * How late `changes` and `podsOn` see a write: one delay for all, or a new one for each. Default
   * 0.
   */
  readonly indexLagMs?: number | (() => number)
}

export const memoryStore = (options: MemoryOptions): Store => storeOver(newMemory(options))

/**
 * What the store holds, apart from the store: a simulation looks at it, a model check copies it.
 */
export function newMemory({ clock, indexLagMs = 0 }: MemoryOptions): Memory {
  const lagMs = typeof indexLagMs === 'number' ? () => indexLagMs : indexLagMs
  return {
    clock,
    stamp: stamps(clock),
    leases: new Map(),
    ghosts: new Map(),
    objects: new Map(),
    records: new Map(),
    index: indexView(clock, lagMs),
  }
}

export function storeOver(memory: Memory): Store {
  return {
    leases: memoryLeases(memory),
    objects: memoryObjects(memory),
    records: memoryRecords(memory),
    commit: async (steps) => memoryCommit(memory, steps),
    skewMs: () => 0,
  }
}

function memoryRecords({ records, clock }: Memory): Records {
  const live = <T>(name: string): StoredRecord<T>[] => {
    const found = records.get(name)
    if (!found || hasLapsed(found, clock())) return []
    return [{ name, version: found.version, value: found.value as T }]
  }
  return {
    get: async <T>(name: string) => live<T>(name)[0],
    list: async <T>(prefix: string) => {
      const names = [...records.keys()].filter((name) => name.startsWith(prefix)).sort()
      return names.flatMap((name) => live<T>(name))
    },
  }
}
