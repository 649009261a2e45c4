/** What has expired leaves the embedded engine, without a word to the bus. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { removeExpired } from '../../local/engine/expired-items.ts'
import { accessTo, clientFor, openStore, prepareTables } from '../../local/engine/store.ts'
import { tableStream } from '../../local/stream/table-stream.ts'
import { isCandidate } from '../../shared/store/stream-record.ts'
import { tableNames } from '../../shared/store/tables.ts'

const tables = tableNames('expired')
let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
  await prepareTables({ endpoint: engine.endpoint, tables })
})
afterAll(() => engine.stop())

it('tombstones and whatever else has an end go; what has none, or a later one, stays', async () => {
  const store = openStore({ endpoint: engine.endpoint, tables })
  const object = { metadata: { name: 'a', uid: 'u' } }
  await store.commit([{ do: 'createObject', resource: 'nodes', object, fields: {} }])
  const believed = await store.objects.get('nodes', { namespace: '', name: 'a' })
  await store.commit([{ do: 'deleteObject', believed: believed! }])
  const client = clientFor({ endpoint: engine.endpoint })
  const put = (sort: string, ttl?: number) => {
    const key = { partition: { S: 'events#1' }, sort: { S: sort } }
    const Item = { ...key, ...(ttl && { ttl: { N: String(ttl) } }) }
    return client.send(new PutItemCommand({ TableName: tables.objects, Item }))
  }
  const hourMs = 3_600_000
  const nowMs = Date.now() + hourMs
  await put('ns/old', Math.floor(nowMs / 1_000) - 1)
  await put('ns/young', Math.floor(nowMs / 1_000) + 60)
  await put('ns/endless')

  const plan = { client, table: tables.objects, onTrouble: () => {} }
  expect(await removeExpired(plan, nowMs)).toBe(2)
  expect(await removeExpired(plan, nowMs)).toBe(0)
  const left = (sort: string) => {
    const Key = { partition: { S: 'events#1' }, sort: { S: sort } }
    return client.send(new GetItemCommand({ TableName: tables.objects, Key }))
  }
  const items = await Promise.all(['ns/old', 'ns/young', 'ns/endless'].map(left))
  expect(items.map(({ Item }) => Item !== undefined)).toEqual([false, true, true])

  const streams = new DynamoDBStreamsClient(accessTo({ endpoint: engine.endpoint }))
  const stream = await tableStream(streams, tables.objects)
  const [shard] = await stream.shards()
  const { records } = await stream.read(await stream.open(shard!.id))
  const removals = records.filter(({ eventName }) => eventName === 'REMOVE')
  // The Node itself is announced; its tombstone and the event are not.
  expect(removals).toHaveLength(3)
  expect(removals.filter(isCandidate)).toHaveLength(1)
})
