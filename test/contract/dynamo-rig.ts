/** The DynamoDB store on some endpoint, each world on tables of its own. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { engineCredentials, engineRegion } from '../../local/engine.ts'
import type { Usage } from '../../shared/store/dynamo/calls.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { createTables, waitForTables } from '../../shared/store/dynamo/create-tables.ts'
import { type DynamoOptions, dynamoStore } from '../../shared/store/dynamo/store.ts'
import { type TableNames, tableNames } from '../../shared/store/tables.ts'
import { type Rig, testClock } from './rig.ts'

export function clientFor(endpoint: string): DynamoDBClient {
  return dynamoClient({ endpoint, region: engineRegion, credentials: engineCredentials })
}

let worlds = 0

export async function dynamoRig(
  client: DynamoDBClient,
  options: Partial<DynamoOptions> = {},
): Promise<Rig & { readonly tables: TableNames }> {
  worlds += 1
  const tables = tableNames(`contract-${process.pid}-${worlds}`)
  await createTables(client, tables)
  await waitForTables(client, tables)
  const clock = testClock(Date.now())
  const usage: Usage[] = []
  const connect = () =>
    dynamoStore({
      client,
      tables,
      clock,
      random: Math.random,
      sleep: async () => {},
      onUsage: (each) => usage.push(each),
      // Time stands still here, so the engine's clock is no judge of it.
      guard: { heard: () => {}, skewMs: () => 0, nowMs: clock },
      ...options,
    })
  return { store: connect(), other: connect(), clock, usage, tables }
}
