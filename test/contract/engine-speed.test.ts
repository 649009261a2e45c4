/**
 * The embedded engine must not grow slower with its stream: see docs/decisions/embedded-engine.md.
 */
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'

const writes = 20_000
const stretch = 1_000
const batch = 100

const engines: Engine[] = []
afterAll(() => Promise.all(engines.map((engine) => engine.stop())))

it('writes the last thousand of 20,000 as fast as the first', async () => {
  const old = await writer()
  const young = await writer()
  for (let at = 0; at < writes - stretch; at += batch) await old(at)
  // By turns with the first thousand of another engine, so that both meet the same busy machine.
  const firstMs: number[] = []
  const lastMs: number[] = []
  for (let at = writes - stretch; at < writes; at += batch) {
    firstMs.push(await young(at))
    lastMs.push(await old(at))
  }
  const rate = median(firstMs) / median(lastMs)
  console.log(`engine-speed: last thousand at ${rate.toFixed(2)} of the rate of the first`)
  expect(rate).toBeGreaterThanOrEqual(0.7)
}, 120_000)

/** Writes a batch from a number on and says how long it took. */
async function writer(): Promise<(from: number) => Promise<number>> {
  const engine = await startEngine()
  engines.push(engine)
  const client = clientFor(engine.endpoint)
  const { tables } = await dynamoRig(client)
  return async (from) => {
    const startMs = performance.now()
    const puts = Array.from({ length: batch }, (_, n) => ({
      Put: { TableName: tables.objects, Item: item(from + n) },
    }))
    await client.send(new TransactWriteItemsCommand({ TransactItems: puts }))
    return performance.now() - startMs
  }
}

const median = (values: readonly number[]) =>
  [...values].sort((one, other) => one - other)[values.length >> 1]!

const item = (n: number) => ({
  partition: { S: `nodes#${n % 16}` },
  sort: { S: `/node-${n}` },
  version: { N: String(n) },
  feed: { S: `nodes#${n % 8}` },
  object: { S: 'x'.repeat(200) },
})
