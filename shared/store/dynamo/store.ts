/** The store on DynamoDB, or on anything that speaks its protocol. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type Site, siteOf } from '../aws/site.ts'
import { lazily } from '../lazily.ts'
import type { Store } from '../ports.ts'
import { type Clock, stamps } from '../stamps.ts'
import type { TableNames } from '../tables.ts'
import { type Calls, lateCalls, type OnUsage } from './calls.ts'
import { type ClockGuard, clockGuard } from './clock-guard.ts'
import { dynamoCommit } from './commit.ts'
import type { Connection } from './connection.ts'
import { dynamoLeases } from './leases.ts'
import { dynamoObjects } from './objects.ts'
import { defaultBudgetMs } from './persistence.ts'
import { dynamoRecords } from './records.ts'
import { signedCalls } from './signed-calls.ts'

export interface DynamoOptions {
  /**
   * With its own retries off (`maxAttempts: 1`): a versioned write must be stamped anew at each
   * attempt. A function says how to get one, which happens at the first call that needs it.
   */
  readonly client: DynamoDBClient | (() => Promise<DynamoDBClient>)
  /** Where DynamoDB is and who asks. Default: as the client was told. */
  readonly site?: () => Promise<Site>
  readonly tables: TableNames
  readonly clock: Clock
  readonly random: () => number
  readonly sleep: (ms: number) => Promise<void>
  /**
   * How one item is read or updated. Default `signed`: our own request, a fraction of the SDK's
   * work.
   */
  readonly singles?: 'signed' | 'sdk'
  /** Time for one call with all its attempts. Default 6 s. */
  readonly budgetMs?: number
  /** Default: believes DynamoDB's clock where ours is more than 2 s off it. */
  readonly guard?: ClockGuard
  readonly onUsage?: OnUsage
  /** Told of every stored item that this version cannot read. */
  readonly onPoisoned?: (id: string) => void
}

export function dynamoStore(options: DynamoOptions): Store {
  const { tables, clock, random, sleep, budgetMs = defaultBudgetMs } = options
  const guard = options.guard ?? clockGuard(clock)
  const connection: Connection = {
    calls: callsOf(options, guard),
    tables,
    patience: { clock, sleep, random, budgetMs },
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
    const { listen, sdkCalls } = await import('./sdk-calls.ts')
    const ready = await client()
    listen(ready, clock, guard)
    return sdkCalls(ready, onUsage)
  })
  const late = lateCalls(sdk)
  if (options.singles === 'sdk') return late
  const site = options.site ?? (async () => siteOf(await client()))
  return { ...late, ...signedCalls(site, { clock, guard, ...(onUsage && { onUsage }) }) }
}
