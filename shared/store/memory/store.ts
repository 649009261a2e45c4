/** The store in the memory of one process, for tests and simulations. */

import { stamps, type WallClock } from '../clock.ts'
import { hasExpired } from '../object-state.ts'
import type { Records, Store, StoredRecord } from '../ports.ts'
import { memoryCommit } from './commit.ts'
import { indexView } from './index-view.ts'
import { memoryLeases } from './leases.ts'
import { memoryObjects } from './objects.ts'
import type { Memory } from './state.ts'

interface MemoryOptions {
  readonly clock: WallClock
  /** How late `changes` and `podsOn` see a write: one lag, or a new one for each. Default 0. */
  readonly indexLagMs?: number | (() => number)
}

export const memoryStore = (options: MemoryOptions): Store => storeOver(newMemory(options))

/** The state apart from the store: a simulation inspects it, a model check copies it. */
export function newMemory({ clock, indexLagMs = 0 }: MemoryOptions): Memory {
  const lagMs = typeof indexLagMs === 'number' ? () => indexLagMs : indexLagMs
  return {
    clock,
    stamp: stamps(clock),
    leases: new Map(),
    leaseTombstones: new Map(),
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
    if (!found || hasExpired(found, clock())) return []
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
