/** The store on DynamoDB, or on anything that speaks its protocol. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type AwsEndpoint, endpointOfClient } from '../aws/endpoint.ts'
import { type ClockGuard, clockGuard, stamps, type WallClock } from '../clock.ts'
import { lazily } from '../lazily.ts'
import { hasExpired } from '../object-state.ts'
import type { Records, Store, StoredRecord } from '../ports.ts'
import { recordsPartition, type TableNames } from '../tables.ts'
import { type Calls, lazyCalls, type OnUsage, signedCalls } from './calls.ts'
import { dynamoCommit } from './commit.ts'
import type { Connection } from './connection.ts'
import { decodeAll, stringValue } from './items.ts'
import { dynamoLeases } from './leases.ts'
import { decodeRecord, recordKey } from './object-items.ts'
import { dynamoObjects } from './objects.ts'
import { queryAll } from './queries.ts'
import { defaultBudgetMs, retry } from './retry.ts'

export interface DynamoOptions {
  /**
   * With its own retries off (`maxAttempts: 1`): a versioned write must be stamped anew at each
   * attempt. A function is called at the first request that needs the client.
   */
  readonly client: DynamoDBClient | (() => Promise<DynamoDBClient>)
  /** For requests without the SDK. Default: endpoint and credentials of the client. */
  readonly endpoint?: () => Promise<AwsEndpoint>
  readonly tables: TableNames
  readonly clock: WallClock
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  /**
   * How GetItem and UpdateItem are sent. Default `signed`: a request of our own, which costs a
   * fraction of the SDK's work.
   */
  readonly singleItemCalls?: 'signed' | 'sdk'
  /** Time for one call with all its attempts. Default 6 s. */
  readonly budgetMs?: number
  /** Default: uses DynamoDB's clock where ours is too far off it. */
  readonly guard?: ClockGuard
  readonly onUsage?: OnUsage
  /** Called with the id of every stored item that this version cannot decode. */
  readonly onPoisoned?: (id: string) => void
}

export function dynamoStore(options: DynamoOptions): Store {
  const { tables, clock, random, sleep, budgetMs = defaultBudgetMs } = options
  const guard = options.guard ?? clockGuard(clock)
  const connection: Connection = {
    calls: callsOf(options, guard),
    tables,
    retryPolicy: { clock, sleep, random, budgetMs },
    nowMs: guard.nowMs,
    stamp: stamps(guard.nowMs),
    poisoned: options.onPoisoned ?? (() => {}),
  }
  return {
    leases: dynamoLeases(connection),
    objects: dynamoObjects(connection),
    records: dynamoRecords(connection),
    commit: (steps) => dynamoCommit(connection, steps),
    skewMs: guard.skewMs,
  }
}

function callsOf(options: DynamoOptions, guard: ClockGuard): Calls {
  const { client: given, clock, onUsage } = options
  const client = typeof given === 'function' ? lazily(given) : async () => given
  const sdk = lazily(async () => {
    const { observeDates, sdkCalls } = await import('./sdk-calls.ts')
    const ready = await client()
    observeDates(ready, clock, guard)
    return sdkCalls(ready, onUsage)
  })
  const calls = lazyCalls(sdk)
  if (options.singleItemCalls === 'sdk') return calls
  const endpoint = options.endpoint ?? (async () => endpointOfClient(await client()))
  return { ...calls, ...signedCalls(endpoint, { clock, guard, ...(onUsage && { onUsage }) }) }
}

function dynamoRecords(connection: Connection): Records {
  const { calls, tables, nowMs, poisoned } = connection

  return {
    async get<T>(name: string) {
      const at = { TableName: tables.objects, Key: recordKey(name), ConsistentRead: true }
      const { Item } = await retry(connection.retryPolicy, () => calls.getItem(at))
      if (!Item) return undefined
      const { expiresAtMs, ...record } = decodeRecord<T>(Item)
      return hasExpired({ expiresAtMs }, nowMs()) ? undefined : record
    },

    async list<T>(prefix: string) {
      const items = await queryAll(connection, {
        TableName: tables.objects,
        ConsistentRead: true,
        KeyConditionExpression: '#partition = :records AND begins_with(#sort, :prefix)',
        ExpressionAttributeNames: { '#partition': 'partition', '#sort': 'sort' },
        ExpressionAttributeValues: {
          ':records': stringValue(recordsPartition),
          ':prefix': stringValue(prefix),
        },
      })
      return decodeAll(items, decodeRecord<T>, poisoned)
        .filter((record) => !hasExpired(record, nowMs()))
        .map(({ name, version, value }): StoredRecord<T> => ({ name, version, value }))
    },
  }
}
