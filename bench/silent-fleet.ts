/**
 * A fleet in the embedded DynamoDB of which host after host falls silent at a known time, and a
 * proxy in front of the database that notes when each was marked.
 *
 * No host beats meanwhile: the last beats are in the table from the beginning, and a tick reads and
 * judges all of them whether or not they changed.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { inChunks } from '../functions/monitor/apply/commit-batch.ts'
import type { Components } from '../local/components.ts'
import { clientFor, prepareTables } from '../local/engine/store.ts'
import { formatMicroTime } from '../shared/kube/time.ts'
import { monitorLeaseKey } from '../shared/lifecycle/record-names.ts'
import { dynamoStore } from '../shared/store/dynamo/store.ts'
import { keyText } from '../shared/store/object-state.ts'
import { tableNames } from '../shared/store/tables.ts'
import { nodeLease, nodeName } from '../test/builders/objects.ts'
import { seedNodes } from '../test/builders/seeded-fleet.ts'
import { databaseProxy } from '../test/linearizability/database-proxy.ts'

export const TABLE_PREFIX = 'bench'
const TABLES = tableNames(TABLE_PREFIX)
/** Longer than any bench: only hosts whose last beat is written that long ago fall silent. */
export const GRACE_MS = 20 * 60_000
const MONITOR_LEASE = `"${keyText(monitorLeaseKey)}"`
const WRITTEN_TOGETHER = 20
/** The leases of those that fall silent are written last, and take less than this. */
const LAST_WRITES_MS = 12_000

interface SilentFleet {
  readonly nodes: number
  /** When each of the first hosts falls due, from the start. */
  readonly dueAfterMs: readonly number[]
}

interface SeededFleet {
  /** The start: a few seconds from now. */
  readonly startMs: number
  /** By name. */
  readonly dueAtMs: ReadonlyMap<string, number>
}

export async function seedSilentFleet(endpoint: string, fleet: SilentFleet): Promise<SeededFleet> {
  await prepareTables({ endpoint, tables: TABLES })
  const { nodes, dueAfterMs } = fleet
  let beatAtMs = Date.now()
  const clock = () => beatAtMs
  const store = dynamoStore({
    client: clientFor({ endpoint }),
    tables: TABLES,
    clock,
    random: Math.random,
    sleep: async (ms) => void (await sleep(ms)),
    // Time is set by hand here, so the engine's clock is no judge of it.
    guard: { observe: () => {}, skewMs: () => 0, nowMs: clock },
  })
  const create = (name: string) =>
    store.leases.create(nodeLease(name, { renewTime: formatMicroTime(clock() * 1_000) }))
  // The statuses are old, so that the leases alone say who is alive.
  await seedNodes(store, () => beatAtMs - 2 * GRACE_MS, nodes)
  const names = Array.from({ length: nodes }, (_, at) => nodeName(at))
  for (const living of inChunks(names.slice(dueAfterMs.length), WRITTEN_TOGETHER))
    await Promise.all(living.map(create))

  const startMs = Date.now() + LAST_WRITES_MS
  const dueAtMs = new Map(dueAfterMs.map((ms, at) => [nodeName(at), startMs + ms]))
  for (const [name, atMs] of dueAtMs) {
    beatAtMs = atMs - GRACE_MS
    await create(name)
  }
  if (Date.now() > startMs) throw new Error('the fleet took too long to write')
  return { startMs, dueAtMs }
}

interface Marks {
  /** Of the proxy. */
  readonly endpoint: string
  /** When the database acknowledged each renewal of the monitor's lease, which ends a tick. */
  readonly renewedAtMs: readonly number[]
  /** When the database acknowledged the mark of each host. */
  readonly markedAtMs: ReadonlyMap<string, number>
}

interface Transaction {
  readonly TransactItems: readonly {
    readonly Update?: { readonly TableName: string; readonly Key: object }
  }[]
}

/** A transaction that changes a host's lease is a mark. */
export async function notedMarks(running: Components, endpoint: string): Promise<Marks> {
  const markedAtMs = new Map<string, number>()
  const renewedAtMs: number[] = []
  const proxy = await running.add('proxy', async () => {
    const started = await databaseProxy((operation, asked, answer) => {
      if (answer.status !== 200) return answer
      if (operation === 'UpdateItem' && asked.includes(MONITOR_LEASE)) renewedAtMs.push(Date.now())
      if (operation !== 'TransactWriteItems') return answer
      for (const { Update } of (JSON.parse(asked) as Transaction).TransactItems)
        if (Update?.TableName === TABLES.leases) markedAtMs.set(nameIn(Update.Key), Date.now())
      return answer
    })
    return { ...started, stop: () => started.close() }
  })
  proxy.pointTo(endpoint)
  return { endpoint: proxy.endpoint, markedAtMs, renewedAtMs }
}

/** Of `namespace/name`, whatever the attribute is called. */
const nameIn = (key: object) => /\/([^"/]+)"/.exec(JSON.stringify(key))?.[1] ?? ''
