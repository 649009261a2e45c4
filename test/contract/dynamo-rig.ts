/** The DynamoDB store on some endpoint, each world on tables of its own. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { engineCredentials, engineRegion } from '../../local/engine/engine.ts'
import type { CapacityUsage } from '../../shared/store/dynamo/calls.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { createTables, waitForTables } from '../../shared/store/dynamo/create-tables.ts'
import { type DynamoOptions, dynamoStore } from '../../shared/store/dynamo/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { type TableNames, tableNames } from '../../shared/store/tables.ts'
import { type Rig, testClock } from './rig.ts'

export function clientFor(endpoint: string): DynamoDBClient {
  return dynamoClient({ endpoint, region: engineRegion, credentials: engineCredentials })
}

let worlds = 0

export interface DynamoRig extends Rig {
  readonly tables: TableNames
  /** Another process, on a way of its own. */
  readonly connect: (options?: Partial<DynamoOptions>) => Store
}

export async function dynamoRig(
  client: DynamoDBClient,
  options: Partial<DynamoOptions> = {},
): Promise<DynamoRig> {
  worlds += 1
  const tables = tableNames(`contract-${process.pid}-${worlds}`)
  await createTables(client, tables)
  await waitForTables(client, tables)
  const clock = testClock(Date.now())
  const usage: CapacityUsage[] = []
  const connect = (more: Partial<DynamoOptions> = {}) =>
    dynamoStore({
      client,
      tables,
      clock,
      random: Math.random,
      sleep: async () => {},
      onUsage: (each) => usage.push(each),
      // Time stands still here, so the engine's clock is no judge of it.
      guard: { observe: () => {}, skewMs: () => 0, nowMs: clock },
      ...options,
      ...more,
    })
  return { store: connect(), other: connect(), clock, usage, tables, connect }
}
