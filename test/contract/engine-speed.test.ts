/**
 * The embedded engine must not grow slower with its stream: see docs/decisions/embedded-engine.md.
 */
import { readFileSync } from 'node:fs'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, it } from 'vitest'
import { type Engine, startEngine } from '../../local/engine/engine.ts'
import { clientFor, dynamoRig } from './dynamo-rig.ts'

const writes = 20_000
const stretch = 1_000
const batch = 100

const engines: Engine[] = []
afterAll(() => Promise.all(engines.map((engine) => engine.stop())))

it('writes the last thousand of 20,000 with no more work than the first', async () => {
  const old = await writer()
  const young = await writer()
  for (let at = 0; at < writes - stretch; at += batch) await old.write(at)
  const before = { old: old.processorTicks(), young: young.processorTicks() }
  // By turns, so that both share the machine's caches with the same neighbours.
  for (let at = writes - stretch; at < writes; at += batch) {
    await young.write(at)
    await old.write(at)
  }
  const first = young.processorTicks() - before.young
  const last = old.processorTicks() - before.old
  console.log(`engine-speed: ${first} ticks for the first thousand, ${last} for the last`)
  expect(last).toBeLessThanOrEqual(first / 0.7 + TICKS_APART)
}, 120_000)

/** Each of the two readings can be off by one. */
const TICKS_APART = 2

interface Writer {
  write(from: number): Promise<void>
  processorTicks(): number
}

async function writer(): Promise<Writer> {
  const engine = await startEngine()
  engines.push(engine)
  const client = clientFor(engine.endpoint)
  const { tables } = await dynamoRig(client)
  return {
    async write(from) {
      const puts = Array.from({ length: batch }, (_, n) => ({
        Put: { TableName: tables.objects, Item: item(from + n) },
      }))
      await client.send(new TransactWriteItemsCommand({ TransactItems: puts }))
    },
    processorTicks: () => processorTicks(engine.pid),
  }
}

/** In user and system mode, in hundredths of a second: what else the machine does is not in it. */
function processorTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name in brackets and may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

const item = (n: number) => ({
  partition: { S: `nodes#${n % 16}` },
  sort: { S: `/node-${n}` },
  version: { N: String(n) },
  feed: { S: `nodes#${n % 8}` },
  object: { S: 'x'.repeat(200) },
})
