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

export function memoryStore({ clock, indexLagMs = 0 }: MemoryOptions): Store {
  const lagMs = typeof indexLagMs === 'number' ? () => indexLagMs : indexLagMs
  const memory: Memory = {
    clock,
    stamp: stamps(clock),
    leases: new Map(),
    ghosts: new Map(),
    objects: new Map(),
    records: new Map(),
    index: indexView(clock, lagMs),
  }
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
