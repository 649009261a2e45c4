/** The store on DynamoDB, or on anything that speaks its protocol. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Store } from '../ports.ts'
import { type Clock, stamps } from '../stamps.ts'
import type { TableNames } from '../tables.ts'
import { calls, type OnUsage } from './calls.ts'
import { type ClockGuard, clockGuard } from './clock-guard.ts'
import { dynamoCommit } from './commit.ts'
import type { Connection } from './connection.ts'
import { dynamoLeases } from './leases.ts'
import { dynamoObjects } from './objects.ts'
import { defaultBudgetMs } from './persistence.ts'
import { dynamoRecords } from './records.ts'
import { signedUpdateItem } from './signed-request.ts'

export interface DynamoOptions {
  /**
   * With its own retries off (`maxAttempts: 1`): a versioned write must be stamped anew at each
   * attempt.
   */
  readonly client: DynamoDBClient
  readonly tables: TableNames
  readonly clock: Clock
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How renewals travel. Default `signed`: our own request, a fraction of the SDK's work. */
  readonly renewals?: 'signed' | 'sdk'
  /** Time for one call with all its attempts. Default 6 s. */
  readonly budgetMs?: number
  /** Default: believes DynamoDB's clock where ours is more than 2 s off it. */
  readonly guard?: ClockGuard
  readonly onUsage?: OnUsage
  /** Told of every stored item that this version cannot read. */
  readonly onPoisoned?: (id: string) => void
}

export function dynamoStore(options: DynamoOptions): Store {
  const { client, tables, clock, random, sleep, onUsage, budgetMs = defaultBudgetMs } = options
  const guard = options.guard ?? clockGuard(clock)
  listen(client, clock, guard)
  const connection: Connection = {
    calls: calls(client, onUsage),
    tables,
    patience: { clock, sleep, random, budgetMs },
    nowMs: guard.nowMs,
    stamp: stamps(guard.nowMs),
    poisoned: options.onPoisoned ?? (() => {}),
  }
  const updateItem =
    options.renewals === 'sdk'
      ? connection.calls.updateItem
      : signedUpdateItem(client, { clock, guard, ...(onUsage && { onUsage }) })
  return {
    leases: dynamoLeases(connection, updateItem),
    objects: dynamoObjects(connection),
    records: dynamoRecords(connection),
    commit: (steps) => dynamoCommit(connection, steps),
    skewMs: guard.skewMs,
  }
}

/** Every answer of the SDK's passes here before it is parsed, refusals included. */
function listen(client: DynamoDBClient, clock: Clock, guard: ClockGuard): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAtMs = clock()
      const result = await next(args)
      const { headers } = result.response as { readonly headers?: Record<string, string> }
      guard.heard(sentAtMs, headers?.date)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'leaseholdClockGuard', override: true },
  )
}
