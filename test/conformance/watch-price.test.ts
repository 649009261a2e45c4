/**
 * Does it cost more when more people watch? Two hundred watches over HTTPS against one of each
 * kind, in requests to DynamoDB. The polls' timers are fired by the test, so that a round is a
 * round on a busy machine too.
 */
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LOCAL_WATCHES } from '../../functions/api/watch/watch-limits.ts'
import { localTables } from '../../local/engine/store.ts'
import { eventually } from '../eventually.ts'
import { type CountedSystem, startCounted } from '../local-system/counted.ts'

const NODES = '/api/v1/nodes'
const LEASES = '/apis/coordination.k8s.io/v1/leases'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
const ROUNDS = 3
/** One of nodes and one of leases, whatever the number of watches. */
const SOURCES = 2
const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])

/** Polls wait until they are fired; the ends of watches, which are further off, never come. */
function pollTimers() {
  const waiting = new Set<() => void>()
  return {
    waiting,
    after(delayMs: number, run: () => void) {
      if (delayMs > LOCAL_WATCHES.scanMs) return () => {}
      waiting.add(run)
      return () => void waiting.delete(run)
    },
    fire() {
      const due = [...waiting]
      waiting.clear()
      for (const run of due) run()
    },
  }
}

interface Watched extends CountedSystem {
  readonly timers: ReturnType<typeof pollTimers>
}

const systems: Watched[] = []
beforeAll(async () => {
  const start = async (): Promise<Watched> => {
    const timers = pollTimers()
    return { ...(await startCounted({ timers })), timers }
  }
  systems.push(...(await Promise.all([start(), start()])))
})
afterAll(() => Promise.all(systems.map((system) => system.stop())))

it('200 watches read exactly as often as one of each kind', async () => {
  const [few, crowd] = systems as [Watched, Watched]
  const done = new AbortController()
  await Promise.all(systems.map(somethingToSee))
  await Promise.all([
    open(few, { count: 1, path: NODES }, done.signal),
    open(few, { count: 1, path: LEASES }, done.signal),
    open(crowd, { count: 160, path: NODES }, done.signal),
    open(crowd, { count: 40, path: LEASES }, done.signal),
  ])
  const one = await readsOfRounds(few)
  const many = await readsOfRounds(crowd)
  done.abort()
  expect(one[localTables.objects]).toBeGreaterThan(0)
  expect(one[localTables.leases]).toBeGreaterThan(0)
  expect(many).toEqual(one)
})

async function somethingToSee({ http }: Watched): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' } }
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'a', namespace: 'default' },
  }
  expect((await http.call('POST', NODES, { body: node })).status).toBe(201)
  expect((await http.call('POST', LEASE, { body: lease })).status).toBe(201)
}

/**
 * Each with another selector, so that nothing but the polling can be shared. Ends when each has
 * sent its first event, and with it has read all it reads by itself.
 */
async function open(
  { http }: Watched,
  { count, path }: { readonly count: number; readonly path: string },
  signal: AbortSignal,
): Promise<void> {
  const opened = Array.from({ length: count }, async (_, at) => {
    const query = `watch=true&resourceVersion=0&labelSelector=watcher!%3D${at}`
    const response = await http.open(`${path}?${query}`, { signal })
    expect(response.statusCode).toBe(200)
    await once(response, 'data')
    response.on('error', () => {}).resume()
  })
  await Promise.all(opened)
}

/** By table. */
async function readsOfRounds({ usage, timers }: Watched): Promise<Record<string, number>> {
  const roundIsOver = () =>
    eventually('every source waits for its next poll', () => timers.waiting.size === SOURCES)
  await roundIsOver()
  usage.length = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    timers.fire()
    await roundIsOver()
  }
  const reads = usage.filter(({ operation }) => READS.has(operation))
  const byTable = Map.groupBy(reads, ({ table }) => table)
  return Object.fromEntries([...byTable].map(([table, of]) => [table, of.length]))
}
