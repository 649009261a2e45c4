/**
 * How far has the stream been read? Kept in the table itself, so that it goes where the data goes.
 */
import type { Store } from '../shared/store/ports.ts'

/** By shard: the last sequence number that is finished, or that the shard itself is. */
export type Positions = Readonly<Record<string, string | typeof shardEnd>>

export const shardEnd = 'end'

export interface PositionKeeper {
  load(): Promise<Positions>
  save(positions: Positions): Promise<void>
}

const recordName = 'stream-position'

export function storedPositions(store: Pick<Store, 'records' | 'commit'>): PositionKeeper {
  return {
    async load() {
      return (await store.records.get<Positions>(recordName))?.value ?? {}
    },

    // Another reader's word would be as good as ours: whoever is behind repeats, and repeats are
    // allowed.
    async save(value) {
      const believed = (await store.records.get(recordName))?.version
      const belief = believed === undefined ? {} : { believed }
      await store.commit([{ do: 'putRecord', name: recordName, value, ...belief }])
    },
  }
}
