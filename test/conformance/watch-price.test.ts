/**
 * Does it cost more when more people watch? Two hundred watches over HTTPS against one, in requests
 * to DynamoDB.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { POLL_MS } from '../../functions/api/watch/timing.ts'
import { localTables } from '../../local/local-store.ts'
import { feedShards } from '../../shared/store/tables.ts'
import { type CountedSystem, countedSystem } from './counted-system.ts'

const NODES = '/api/v1/nodes'
const LEASES = '/apis/coordination.k8s.io/v1/leases'
// Several polls fit in, so that one more or less does not decide.
const WINDOW_MS = 6_000
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])

let system: CountedSystem
beforeAll(async () => {
  system = await countedSystem()
})
afterAll(() => system?.stop())

it('200 watches read no more often than one of each kind', async () => {
  const done = new AbortController()
  await open(1, NODES, done.signal)
  await open(1, LEASES, done.signal)
  const one = await readsInWindow()
  await open(159, NODES, done.signal)
  await open(39, LEASES, done.signal)
  const many = await readsInWindow()
  done.abort()
  for (const table of [localTables.objects, localTables.leases]) {
    expect(one.get(table)).toBeGreaterThan(0)
    // Another poll of eight shards may fall into the window.
    expect(many.get(table)).toBeLessThanOrEqual(one.get(table)! + feedShards)
  }
})

/** Each with another selector, so that nothing but the polling can be shared. */
async function open(count: number, path: string, signal: AbortSignal): Promise<void> {
  const opened = Array.from({ length: count }, async (_, at) => {
    const query = `watch=true&resourceVersion=0&labelSelector=watcher!%3D${at}`
    const response = await system.http.open(`${path}?${query}`, { signal })
    expect(response.statusCode).toBe(200)
    response.on('error', () => {}).resume()
  })
  await Promise.all(opened)
}

/** By table. */
async function readsInWindow(): Promise<ReadonlyMap<string, number>> {
  // What the opening itself reads is over when the last answer has begun and a poll has passed.
  await sleep(1.5 * POLL_MS)
  system.usage.length = 0
  await sleep(WINDOW_MS)
  const reads = system.usage.filter(({ operation }) => READS.has(operation))
  return new Map(
    [...Map.groupBy(reads, ({ table }) => table)].map(([table, of]) => [table, of.length]),
  )
}
