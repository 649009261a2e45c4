/** Creates the tables for local mode and tests. In AWS the CDK does, from the same shapes. */
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import {
  type IndexShape,
  type KeyAttribute,
  leasesTable,
  objectsTable,
  type TableNames,
  type TableShape,
} from '../tables.ts'

const maxWaitSeconds = 60

/** Tables that are there already stay as they are. */
export async function createTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  await createTable(client, names.leases, leasesTable)
  await createTable(client, names.objects, objectsTable)
}

export async function waitForTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  const each = (TableName: string) =>
    waitUntilTableExists({ client, maxWaitTime: maxWaitSeconds, minDelay: 1 }, { TableName })
  await Promise.all([each(names.leases), each(names.objects)])
}

async function createTable(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  try {
    await client.send(new CreateTableCommand(creation(name, shape)))
  } catch (error) {
    if ((error as Error).name === 'ResourceInUseException') return
    throw error
  }
  if (!shape.ttl) return
  await waitUntilTableExists(
    { client, maxWaitTime: maxWaitSeconds, minDelay: 1 },
    { TableName: name },
  )
  const TimeToLiveSpecification = { AttributeName: shape.ttl, Enabled: true }
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }))
}

function creation(name: string, shape: TableShape): CreateTableCommandInput {
  const keys = [shape, ...shape.indexes].flatMap(({ partition, sort }) => [partition, sort ?? []])
  const attributes = new Map(keys.flat().map((key) => [key.name, key.type]))
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: keySchema(shape.partition, shape.sort),
    AttributeDefinitions: [...attributes].map(([AttributeName, AttributeType]) => ({
      AttributeName,
      AttributeType,
    })),
    ...(shape.indexes.length > 0 && { GlobalSecondaryIndexes: shape.indexes.map(indexOf) }),
    ...(shape.stream && {
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  }
}

function indexOf({ name, partition, sort, projected }: IndexShape) {
  const some = { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projected] }
  return {
    IndexName: name,
    KeySchema: keySchema(partition, sort),
    Projection: projected.length === 0 ? ({ ProjectionType: 'KEYS_ONLY' } as const) : some,
  }
}

function keySchema(partition: KeyAttribute, sort?: KeyAttribute) {
  const hash = { AttributeName: partition.name, KeyType: 'HASH' as const }
  return sort ? [hash, { AttributeName: sort.name, KeyType: 'RANGE' as const }] : [hash]
}
