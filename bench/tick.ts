/**
 * What does one tick cost? Over healthy fleets in memory: it must grow no faster than the fleet.
 * Over the embedded DynamoDB: wall time and read units, and in how much time and how many requests
 * one tick marks a whole fleet that fell silent at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type MonitorSession, openSession } from '../functions/monitor/session.ts'
import { tick } from '../functions/monitor/tick.ts'
import { engineCredentials, engineRegion, startEngine } from '../local/engine/engine.ts'
import { defaultSettings } from '../shared/lifecycle/settings.ts'
import type { CapacityUsage } from '../shared/store/dynamo/calls.ts'
import { dynamoClient } from '../shared/store/dynamo/client.ts'
import { createTables, waitForTables } from '../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../shared/store/dynamo/store.ts'
import { memoryStore } from '../shared/store/memory/store.ts'
import type { Store } from '../shared/store/ports.ts'
import { tableNames } from '../shared/store/tables.ts'
import { seedFleet } from '../test/builders/seeded-fleet.ts'
import { type Bench, median, printTable } from './bench.ts'

const SIZES = [1_000, 10_000, 100_000]
const ON_ENGINE = 5_000
const ROUNDS = 7
const GROWTH_BUDGET = 1.5

export const bench: Bench = async () => {
  const rows = []
  for (const nodes of SIZES) rows.push(await inMemory(nodes))
  printTable(rows)
  printTable([await onEngine()])
  const [small, large] = [rows[0]!, rows.at(-1)!]
  const ratio = large['CPU us/node'] / small['CPU us/node']
  return [{ name: 'tick: time per node, 100,000 over 1,000', ratio, budget: GROWTH_BUDGET }]
}

async function inMemory(nodes: number) {
  let nowMs = Date.UTC(2026, 0, 1)
  const clock = () => nowMs
  const store = memoryStore({ clock })
  await seedFleet(store, clock, nodes)
  const session = sessionOn(store, clock)
  const cold = await timed(() => tick(session))
  const warm: Timed<unknown>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    nowMs += 5_000
    warm.push(await timed(() => tick(session)))
  }
  const cpuMs = median(warm.map((each) => each.cpuMs))
  return {
    'tick in memory, healthy nodes': nodes,
    'cold s': seconds(cold.ms),
    'warm s': seconds(median(warm.map(({ ms }) => ms))),
    'warm CPU s': seconds(cpuMs),
    'CPU us/node': Number(((cpuMs * 1_000) / nodes).toFixed(2)),
    'heap MB': Math.round(process.memoryUsage().heapUsed / 1e6),
  }
}

async function onEngine() {
  const engine = await startEngine()
  try {
    const client = dynamoClient({
      endpoint: engine.endpoint,
      region: engineRegion,
      credentials: engineCredentials,
    })
    const tables = tableNames('bench')
    await createTables(client, tables)
    await waitForTables(client, tables)
    return await ticksOn(client, tables)
  } finally {
    await engine.stop()
  }
}

type Client = ReturnType<typeof dynamoClient>

async function ticksOn(client: Client, tables: ReturnType<typeof tableNames>) {
  const usage: CapacityUsage[] = []
  let aheadMs = 0
  const clock = () => Date.now() + aheadMs
  const store = dynamoStore({
    client,
    tables,
    clock,
    random: Math.random,
    sleep: async (ms) => await wait(ms),
    onUsage: (each) => usage.push(each),
    // Time is moved by hand here, so the engine's clock is no judge of it.
    guard: { observe: () => {}, skewMs: () => 0, nowMs: clock },
  })
  await seedFleet(store, clock, ON_ENGINE)
  const session = sessionOn(store, clock)
  const cold = await timed(() => tick(session))
  // Beyond the overlap in which what was just written is looked at again.
  aheadMs += 11_000
  await tick(session)
  usage.length = 0
  const warm = await timed(() => tick(session))
  const units = usage.reduce((sum, { readUnits }) => sum + readUnits, 0)
  aheadMs += 60_000
  usage.length = 0
  const blackout = await timed(() => tick(session))
  const marked = blackout.value.actionCounts.done.get('markUnknown') ?? 0
  // A transaction tells what it used table by table; every one of a tick touches the objects.
  const isOwnRequest = ({ operation, table }: CapacityUsage) =>
    operation !== 'TransactWriteItems' || table === tables.objects
  const requests = usage.filter(isOwnRequest).length
  return {
    'tick on the embedded DynamoDB, nodes': ON_ENGINE,
    'cold s': seconds(cold.ms),
    'warm s': seconds(warm.ms),
    'read units/tick': units,
    'units/node/tick': Number((units / ON_ENGINE).toFixed(4)),
    [`blackout s (${marked} marked)`]: seconds(blackout.ms),
    'in requests': requests,
  }
}

function sessionOn(store: Store, clock: () => number): MonitorSession {
  return openSession({
    store,
    settings: defaultSettings,
    clock,
    sleep: async () => {},
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    log: ({ message, error }) => console.error(message, error),
  })
}

interface Timed<T> {
  readonly ms: number
  /** What the tick itself used, however busy the machine is. */
  readonly cpuMs: number
  readonly value: T
}

async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const startedMs = performance.now()
  const before = process.cpuUsage()
  const value = await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - startedMs, cpuMs: (user + system) / 1_000, value }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(3)
