/**
 * Does it cost more when more people watch? Two hundred watches over HTTPS against one of
 * each kind, in requests to DynamoDB, each in a system of its own and both at the same time.
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
// One more or less at either end of each window. Without sharing it would be two hundred times as many.
const ALLOWANCE = 2 * feedShards
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])

const systems: CountedSystem[] = []
beforeAll(async () => {
  systems.push(...(await Promise.all([countedSystem(), countedSystem()])))
})
afterAll(() => Promise.all(systems.map((system) => system.stop())))

it('200 watches read no more often than one of each kind', async () => {
  const [few, crowd] = systems as [CountedSystem, CountedSystem]
  const done = new AbortController()
  await Promise.all([
    open(few, { count: 1, path: NODES }, done.signal),
    open(few, { count: 1, path: LEASES }, done.signal),
    open(crowd, { count: 160, path: NODES }, done.signal),
    open(crowd, { count: 40, path: LEASES }, done.signal),
  ])
  const [one, many] = (await Promise.all([readsInWindow(few), readsInWindow(crowd)])) as [
    Reads,
    Reads,
  ]
  done.abort()
  for (const table of [localTables.objects, localTables.leases]) {
    expect(one.get(table)).toBeGreaterThan(0)
    expect(many.get(table)).toBeLessThanOrEqual(one.get(table)! + ALLOWANCE)
  }
})

/** By table. */
type Reads = ReadonlyMap<string, number>

/** Each with another selector, so that nothing but the polling can be shared. */
async function open(
  { http }: CountedSystem,
  { count, path }: { readonly count: number; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  const opened = Array.from({ length: count }, async (_, at) => {
    const query = `watch=true&resourceVersion=0&labelSelector=watcher!%3D${at}`
    const response = await http.open(`${path}?${query}`, { signal })
    expect(response.statusCode).toBe(200)
    response.on('error', () => {}).resume()
  })
  await Promise.all(opened)
}

async function readsInWindow({ usage }: CountedSystem): Promise<Reads> {
  // What the opening itself reads is over when the last answer has begun and a poll has passed.
  await sleep(1.5 * POLL_MS)
  usage.length = 0
  await sleep(WINDOW_MS)
  const reads = usage.filter(({ operation }) => READS.has(operation))
  return new Map(
    [...Map.groupBy(reads, ({ table }) => table)].map(([table, of]) => [table, of.length]),
  )
}
