/** The embedded engine must not grow slower with its stream: see docs/decisions/embedded-engine.md. */
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'

const writes = 20_000
const stretch = 1_000
const batch = 100

let engine: Engine

beforeAll(async () => {
  engine = await startEngine()
})

afterAll(() => engine.stop())

it('writes the last thousand of 20,000 as fast as the first', async () => {
  const client = clientFor(engine.endpoint)
  const { tables } = await dynamoRig(client)
  const write = async (from: number) => {
    const startMs = performance.now()
    const puts = Array.from({ length: batch }, (_, n) => ({
      Put: { TableName: tables.objects, Item: item(from + n) },
    }))
    await client.send(new TransactWriteItemsCommand({ TransactItems: puts }))
    return performance.now() - startMs
  }
  const batchMs: number[] = []
  for (let at = 0; at < writes; at += batch) batchMs.push(await write(at))
  const each = stretch / batch
  // Medians, so that another program's moment on this machine is not taken for ours.
  const rate = median(batchMs.slice(0, each)) / median(batchMs.slice(-each))
  console.log(`engine-speed: last thousand at ${rate.toFixed(2)} of the rate of the first`)
  expect(rate).toBeGreaterThanOrEqual(0.7)
})

const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1]!

const item = (n: number) => ({
  partition: { S: `nodes#${n % 16}` },
  sort: { S: `/node-${n}` },
  version: { N: String(n) },
  feed: { S: `nodes#${n % 8}` },
  object: { S: 'x'.repeat(200) },
})
