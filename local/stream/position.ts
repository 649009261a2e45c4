/** How far has the stream been read? Stored in the table, so that a copy of the data has it too. */
import type { Store } from '../../shared/store/ports.ts'

/** By shard: the last sequence number that was handled, or `shardEnd`. */
export type Positions = Readonly<Record<string, string | typeof shardEnd>>

export const shardEnd = 'end'

export interface PositionStore {
  load(): Promise<Positions>
  save(positions: Positions): Promise<void>
}

const recordName = 'stream-position'

export function storedPositions(store: Pick<Store, 'records' | 'commit'>): PositionStore {
  return {
    async load() {
      return (await store.records.get<Positions>(recordName))?.value ?? {}
    },

    // A save lost to another reader is no loss: a reader that is behind repeats, which is allowed.
    async save(value) {
      const believed = (await store.records.get(recordName))?.version
      const belief = believed === undefined ? {} : { believed }
      await store.commit([{ do: 'putRecord', name: recordName, value, ...belief }])
    },
  }
}
