import { hasLapsed } from '../object-state.ts'
import type { Records, StoredRecord } from '../ports.ts'
import { recordsPartition } from '../tables.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, sift, text } from './items.ts'
import { recordKey, recordOf } from './object-items.ts'
import { queryAll } from './query.ts'

export function dynamoRecords(connection: Connection): Records {
  const { calls, tables, nowMs, poisoned } = connection

  const live = <T>(items: readonly Item[], read: (item: Item) => ReturnType<typeof recordOf<T>>) =>
    sift(items, read, poisoned)
      .filter((record) => !hasLapsed(record, nowMs()))
      .map(({ name, version, value }): StoredRecord<T> => ({ name, version, value }))

  return {
    async get<T>(name: string) {
      const at = { TableName: tables.objects, Key: recordKey(name), ConsistentRead: true }
      const { Item } = await steadily(connection, () => calls.getItem(at))
      if (!Item) return undefined
      const { expiresAtMs, ...record } = recordOf<T>(Item)
      return expiresAtMs !== undefined && expiresAtMs <= nowMs() ? undefined : record
    },

    async list<T>(prefix: string) {
      const items = await queryAll(connection, {
        TableName: tables.objects,
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :records AND begins_with(#sort, :prefix)',
        ExpressionAttributeNames: { '#partition': 'partition', '#sort': 'sort' },
        ExpressionAttributeValues: { ':records': text(recordsPartition), ':prefix': text(prefix) },
      })
      return live<T>(items, recordOf<T>)
    },
  }
}
