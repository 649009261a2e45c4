/** The store of local mode: the embedded engine, or whatever `DYNAMODB_ENDPOINT` names. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../shared/store/dynamo/client.ts'
import { createTables, waitForTables } from '../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../shared/store/dynamo/store.ts'
import type { Store } from '../shared/store/ports.ts'
import { type TableNames, tableNames } from '../shared/store/tables.ts'
import { engineCredentials, engineRegion } from './engine.ts'

export const localTables: TableNames = tableNames('leasehold-local')

export interface StoreAddress {
  readonly endpoint: string
  readonly tables: TableNames
}

export const localClient = (endpoint: string): DynamoDBClient =>
  dynamoClient({ endpoint, region: engineRegion, credentials: engineCredentials })

export function openStore({ endpoint, tables }: StoreAddress): Store {
  return dynamoStore({
    client: localClient(endpoint),
    tables,
    clock: Date.now,
    random: Math.random,
    sleep: async (ms) => void (await sleep(ms)),
  })
}

export async function prepareTables(address: StoreAddress): Promise<void> {
  const client = localClient(address.endpoint)
  await createTables(client, address.tables)
  await waitForTables(client, address.tables)
  client.destroy()
}
