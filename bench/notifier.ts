/**
 * How soon is a blackout of 10,000 hosts told? The bundled notifier, in a process with the share of a
 * core that Lambda gives it for its memory, is handed the stream records of marks, in batches as the
 * event source makes them; its Events go to the embedded DynamoDB, what it tells to a bus on
 * loopback.
 *
 * The records are those of the real monitor, marking a fleet in memory. The stream is taken to have
 * four shards, and only one batch of each to be under way, though four may be: how AWS spreads items
 * over those is not ours to say. So one process tells a quarter of the hosts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inChunks } from '../functions/monitor/apply/commit-batch.ts'
import { openSession } from '../functions/monitor/session.ts'
import { tick } from '../functions/monitor/tick.ts'
import { bundle } from '../infra/bundle.ts'
import { NOTIFIER_MEMORY_MB } from '../infra/memory.ts'
import { components } from '../local/components.ts'
import { startEngine } from '../local/engine/engine.ts'
import { prepareTables } from '../local/engine/store.ts'
import { defaultSettings } from '../shared/lifecycle/settings.ts'
import { memoryStore } from '../shared/store/memory/store.ts'
import type { StreamRecord } from '../shared/store/stream-record.ts'
import { tableNames } from '../shared/store/tables.ts'
import { seedFleet } from '../test/builders/seeded-fleet.ts'
import { startEventBridge } from '../test/fake-event-bridge.ts'
import { streamingStore } from '../test/functions/notifier/streaming-store.ts'
import { type Bench, printTable } from './bench.ts'
import { type LambdaProcess, shareSentence, startLambda } from './lambda-process.ts'

const MARKS = 10_000
const SHARDS = 4
const BATCH = 100
const BUDGET_SECONDS = 60
const PREFIX = 'bench'
/** Of the function; the batches here take far less. */
const REMAINING_MS = 60_000

export const bench: Bench = async () => {
  const running = components()
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  try {
    const { endpoint } = await running.add('DynamoDB', () => startEngine())
    await prepareTables({ endpoint, tables: tableNames(PREFIX) })
    const bus = await running.add('bus', async () => {
      const started = await startEventBridge()
      return { ...started, stop: async () => started.close() }
    })
    const marks = await marksOf(MARKS / SHARDS)
    const startedMs = performance.now()
    const plan = {
      file: bundle('notifier', folder).file,
      memoryMb: NOTIFIER_MEMORY_MB,
      environment: environmentOf(endpoint, bus.url),
    }
    const notifier = await running.add('notifier', () => startLambda(plan))
    const loadMs = performance.now() - startedMs
    const tellMs = await tell(notifier, marks)
    const told = new Set(bus.entries.map(({ name }) => name)).size
    if (told !== marks.length) throw new Error(`of ${marks.length} marked hosts ${told} were told`)
    return report(notifier, marks.length, { loadMs, tellMs })
  } finally {
    await running.stop()
    rmSync(folder, { recursive: true })
  }
}

/** What the stream brings when so many hosts are marked in one tick. */
async function marksOf(count: number): Promise<readonly StreamRecord[]> {
  let nowMs = Date.now()
  const clock = () => nowMs
  const { store, stream } = streamingStore(memoryStore({ clock }), clock)
  await seedFleet(store, clock, count)
  const before = stream.length
  nowMs += 2 * defaultSettings.nodeMonitorGracePeriodMs
  await tick(
    openSession({
      store,
      settings: defaultSettings,
      clock,
      sleep: async () => {},
      random: Math.random,
      uuid: () => crypto.randomUUID(),
      log: ({ message, error }) => console.error(message, error),
    }),
  )
  const marks = stream.slice(before).filter(isMark)
  if (marks.length !== count)
    throw new Error(`of ${count} silent hosts ${marks.length} were marked`)
  return marks
}

const isMark = ({ dynamodb }: StreamRecord) =>
  dynamodb?.Keys?.partition?.S?.startsWith('nodes#') ?? false

async function tell(notifier: LambdaProcess, marks: readonly StreamRecord[]): Promise<number> {
  const startedMs = performance.now()
  for (const Records of inChunks(marks, BATCH)) {
    const answer = await notifier.invoke({ Records }, REMAINING_MS)
    const { batchItemFailures } = answer as { readonly batchItemFailures: readonly object[] }
    if (batchItemFailures.length > 0) throw new Error('the notifier left a record to a next run')
  }
  return performance.now() - startedMs
}

function report(
  notifier: LambdaProcess,
  marks: number,
  { loadMs, tellMs }: { readonly loadMs: number; readonly tellMs: number },
) {
  const perSecond = marks / (tellMs / 1_000)
  const wholeSeconds = loadMs / 1_000 + MARKS / SHARDS / perSecond
  printTable([
    {
      'marks told by one process': marks,
      MB: NOTIFIER_MEMORY_MB,
      'peak MB': Math.round(notifier.peakMb()),
      'load s': (loadMs / 1_000).toFixed(2),
      'records a second': perSecond.toFixed(0),
      'CPU ms a record': ((notifier.cpuSeconds() * 1_000) / marks).toFixed(2),
      [`computed: ${MARKS} marks, ${SHARDS} shards, s`]: wholeSeconds.toFixed(1),
    },
  ])
  console.log(shareSentence(notifier))
  return [
    {
      name: `notifier: telling ${MARKS.toLocaleString('en')} marks over ${BUDGET_SECONDS} s`,
      ratio: wholeSeconds / BUDGET_SECONDS,
      budget: 1,
    },
  ]
}

const environmentOf = (endpoint: string, busUrl: string) => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_EVENTBRIDGE: busUrl,
  DYNAMODB_ENDPOINT: endpoint,
  LEASEHOLD_STAGE: 'bench',
  LEASEHOLD_TABLE_PREFIX: PREFIX,
  LEASEHOLD_EVENT_BUS: 'bus',
  LEASEHOLD_DEAD_LETTER_QUEUE: `${busUrl}/queue`,
})
