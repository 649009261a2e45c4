/**
 * Is it felt when one monitor takes over from another? Bundled monitors, each in a process with the
 * share of a core that Lambda gives it for its memory, over the embedded DynamoDB: hosts fall
 * silent all the time, and every half minute a new monitor is started cold and takes over.
 *
 * The lag of a host is the time from its deadline to the acknowledged transaction that marks it,
 * noted by a proxy in front of the database. The hosts whose deadline falls between the start of a
 * new monitor and the end of its first period are compared with all others of the same run. Ticks
 * are seen by the beat of the canary that each begins with.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundle } from '../infra/bundle.ts'
import { monitorMemoryMb } from '../infra/memory.ts'
import { type Components, components } from '../local/components.ts'
import { startEngine } from '../local/engine/engine.ts'
import { parseTimeMs } from '../shared/kube/time.ts'
import { defaultSettings } from '../shared/lifecycle/settings.ts'
import { startKms } from '../test/fake-kms.ts'
import { type Bench, printTable, quantile, type Ratio } from './bench.ts'
import { coreShare, type LambdaProcess, shareSentence, startLambda } from './lambda-process.ts'
import { GRACE_MS, notedMarks, seedSilentFleet, TABLE_PREFIX } from './silent-fleet.ts'

const SIZES = [1_000, 10_000]
const COMPUTED = 100_000
const { nodeMonitorPeriodMs: PERIOD_MS } = defaultSettings
/** The first monitor, and then one after another. */
const MONITORS = 3
const STARTS_APART_MS = 30_000
/** The first has been ticking for a while when the first host falls due. */
const FIRST_DUE_MS = 15_000
const DUE_EVERY_MS = 200
const LAST_DUE_MS = MONITORS * STARTS_APART_MS
const DUE_AFTER_MS = Array.from(
  { length: (LAST_DUE_MS - FIRST_DUE_MS) / DUE_EVERY_MS },
  (_, at) => FIRST_DUE_MS + at * DUE_EVERY_MS,
)
/** After this the monitors are stopped, and a host that is not marked by then was lost. */
const END_MS = LAST_DUE_MS + 2 * PERIOD_MS
/** So short that each new monitor finds its predecessor old: see `hasYoungHolder`. */
const REMAINING_MS = 150_000
const LAG_BUDGET = 1.5
/** Over this the tick in between was lost. */
const GAP_BUDGET = 1.5

export const bench: Bench = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  try {
    const { file } = bundle('monitor', folder)
    const runs: FleetRun[] = []
    for (const nodes of SIZES) runs.push(await runFleet(file, nodes))
    printTable(runs.map(rowOf))
    for (const { nodes, monitors } of runs)
      console.log(`a monitor of ${nodes} nodes: ${shareSentence(monitors[0]!.process)}`)
    console.log(computedSentence(runs))
    return runs.flatMap(ratiosOf)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// ---- one fleet ----------------------------------------------------------------------------------

interface FleetRun {
  readonly nodes: number
  readonly atHandoverMs: readonly number[]
  readonly betweenMs: readonly number[]
  readonly monitors: readonly RanMonitor[]
  /** When ticks ended. */
  readonly renewedAtMs: readonly number[]
  readonly peakMb: number
}

async function runFleet(file: string, nodes: number): Promise<FleetRun> {
  const running = components()
  try {
    const { endpoint } = await running.add('DynamoDB', () => startEngine())
    const marks = await notedMarks(running, endpoint)
    const { startMs, dueAtMs } = await seedSilentFleet(endpoint, {
      nodes,
      dueAfterMs: DUE_AFTER_MS,
    })
    await sleep(startMs - Date.now())
    const start = (index: number) => runMonitor(running, { file, nodes, ...marks }, index)
    const monitors = await Promise.all(Array.from({ length: MONITORS }, (_, at) => start(at)))
    const peakMb = Math.max(...monitors.map(({ process }) => process.peakMb()))
    const { markedAtMs, renewedAtMs } = marks
    return { nodes, monitors, renewedAtMs, peakMb, ...split(monitors, dueAtMs, markedAtMs) }
  } finally {
    await running.stop()
  }
}

// ---- one monitor --------------------------------------------------------------------------------

interface RanMonitor {
  readonly startedAtMs: number
  /** The beginnings of its ticks. */
  readonly ticksAtMs: readonly number[]
  /** Of a core, while no other monitor was about. */
  readonly busy: number
  /** What it wrote to its log as a warning or an error. */
  readonly failures: readonly string[]
  readonly process: LambdaProcess
}

interface MonitorPlan {
  readonly file: string
  readonly nodes: number
  readonly endpoint: string
}

async function runMonitor(
  running: Components,
  { file, nodes, endpoint }: MonitorPlan,
  index: number,
): Promise<RanMonitor> {
  await sleep(index * STARTS_APART_MS)
  const startedAtMs = Date.now()
  const canary = await running.add(`canary ${index}`, () => canaryApi())
  const kms = await running.add(`KMS ${index}`, async () => {
    const { url, close } = await startKms()
    return { url, stop: async () => close() }
  })
  const monitor = await running.add(`monitor ${index}`, () =>
    startLambda({
      file,
      memoryMb: monitorMemoryMb(nodes),
      environment: environmentOf(endpoint, canary.url, kms.url.href),
    }),
  )
  const failures: string[] = []
  const invoked = monitor.invoke({}, REMAINING_MS).catch((error) => failures.push(String(error)))
  const busy = await busyShare(monitor, startedAtMs)
  const remainingMs = END_MS - index * STARTS_APART_MS - (Date.now() - startedAtMs)
  await Promise.race([invoked, sleep(remainingMs)])
  failures.push(...monitor.complaints)
  for (const failure of failures) console.log(`monitor ${index} of ${nodes} nodes: ${failure}`)
  // The first is of the rehearsal.
  const [, ...ticksAtMs] = canary.beatsAtMs
  return {
    failures,
    startedAtMs,
    ticksAtMs,
    busy,
    process: monitor,
  }
}

/** In the last two periods before its successor starts. */
async function busyShare(monitor: LambdaProcess, startedAtMs: number): Promise<number> {
  const untilMs = startedAtMs + STARTS_APART_MS
  await sleep(untilMs - 2 * PERIOD_MS - Date.now())
  const [atMs, before] = [performance.now(), monitor.cpuSeconds()]
  await sleep(untilMs - Date.now())
  return (monitor.cpuSeconds() - before) / ((performance.now() - atMs) / 1_000)
}

const environmentOf = (endpoint: string, apiUrl: string, kmsUrl: string) => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_KMS: kmsUrl,
  DYNAMODB_ENDPOINT: endpoint,
  LEASEHOLD_STAGE: 'bench',
  LEASEHOLD_TABLE_PREFIX: TABLE_PREFIX,
  LEASEHOLD_NODE_KEY_ID: 'node',
  LEASEHOLD_ADMIN_KEY_ID: 'admin',
  LEASEHOLD_API_URL: apiUrl,
  NODE_MONITOR_GRACE_PERIOD: `${GRACE_MS / 1_000}s`,
})

/** An api that accepts every beat of one monitor's canary and notes of which tick it is. */
async function canaryApi() {
  const beatsAtMs: number[] = []
  const server = createServer(async (request, response) => {
    const { spec } = (await json(request)) as { readonly spec: { readonly renewTime: string } }
    beatsAtMs.push(parseTimeMs(spec.renewTime) ?? Number.NaN)
    response.setHeader('content-type', 'application/json')
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, beatsAtMs, stop }
}

// ---- what came of it ----------------------------------------------------------------------------

function split(
  monitors: readonly RanMonitor[],
  dueAtMs: ReadonlyMap<string, number>,
  markedAtMs: ReadonlyMap<string, number>,
): Pick<FleetRun, 'atHandoverMs' | 'betweenMs'> {
  const [, ...successors] = monitors
  const isAtHandover = (atMs: number) =>
    successors.some(
      ({ startedAtMs, ticksAtMs: [firstMs = Number.POSITIVE_INFINITY] }) =>
        startedAtMs <= atMs && atMs < firstMs + PERIOD_MS,
    )
  const lags = [...dueAtMs].map(([name, dueMs]) => {
    const markedMs = markedAtMs.get(name) ?? Number.POSITIVE_INFINITY
    return { lagMs: markedMs - dueMs, atHandover: isAtHandover(dueMs) }
  })
  const lagsOf = (wanted: boolean) =>
    lags.filter(({ atHandover }) => atHandover === wanted).map(({ lagMs }) => lagMs)
  return { atHandoverMs: lagsOf(true), betweenMs: lagsOf(false) }
}

/** From tick to tick, whichever monitor made them; endless when one was begun and not finished. */
function gapsMs({ monitors }: FleetRun): readonly number[] {
  const failed = monitors.some(({ failures }) => failures.join().includes('finish a tick'))
  if (failed) return [Number.POSITIVE_INFINITY]
  const ticksAtMs = monitors.flatMap((each) => each.ticksAtMs).sort((a, b) => a - b)
  return ticksAtMs.slice(1).map((atMs, before) => atMs - ticksAtMs[before]!)
}

function ratiosOf(run: FleetRun): readonly Ratio[] {
  const { nodes, atHandoverMs, betweenMs } = run
  const of = `at ${nodes.toLocaleString('en')} nodes`
  return [
    {
      name: `handover ${of}: p99 lag over that between handovers`,
      ratio: quantile(atHandoverMs, 0.99) / quantile(betweenMs, 0.99),
      budget: LAG_BUDGET,
    },
    {
      name: `handover ${of}: longest gap between ticks over the period`,
      ratio: Math.max(...gapsMs(run)) / PERIOD_MS,
      budget: GAP_BUDGET,
    },
  ]
}

/** From a tick's beginning to the renewal that ends it. */
function tickMs({ renewedAtMs }: FleetRun, startedAtMs = Number.NaN): number {
  const endedAtMs = renewedAtMs.find((atMs) => atMs > startedAtMs) ?? Number.NaN
  return endedAtMs - startedAtMs
}

function rowOf(run: FleetRun) {
  const { nodes, atHandoverMs, betweenMs, monitors, peakMb } = run
  const [, ...successors] = monitors
  const laterTicksMs = monitors.flatMap(({ ticksAtMs }) => ticksAtMs.slice(1, -1))
  const tickTimesMs = laterTicksMs.map((atMs) => tickMs(run, atMs))
  const firstMs = successors.map(({ ticksAtMs: [atMs] }) => tickMs(run, atMs))
  return {
    nodes,
    MB: monitorMemoryMb(nodes),
    'peak MB': Math.round(peakMb),
    'busy core': mean(monitors.map(({ busy }) => busy)).toFixed(3),
    'tick s': seconds(quantile(tickTimesMs, 0.5)),
    'first tick s': seconds(Math.max(...firstMs)),
    ticks: gapsMs(run).length + 1,
    'longest gap s': seconds(Math.max(...gapsMs(run))),
    'hosts between': betweenMs.length,
    'p50 s': seconds(quantile(betweenMs, 0.5)),
    'p99 s': seconds(quantile(betweenMs, 0.99)),
    'at handover': atHandoverMs.length,
    'p50 s ': seconds(quantile(atHandoverMs, 0.5)),
    'p99 s ': seconds(quantile(atHandoverMs, 0.99)),
  }
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

const seconds = (ms: number) => (ms / 1_000).toFixed(3)

/** Work grows linearly with the nodes (`bench/tick`), so a line through both sizes tells. */
function computedSentence(runs: readonly FleetRun[]): string {
  const [small, large] = runs.map(({ nodes, monitors }) => ({
    nodes,
    busy: mean(monitors.map(({ busy }) => busy)),
  }))
  const perNode = (large!.busy - small!.busy) / (large!.nodes - small!.nodes)
  const busy = small!.busy + perNode * (COMPUTED - small!.nodes)
  return (
    `computed, not run: ${COMPUTED.toLocaleString('en')} nodes keep ${busy.toFixed(2)} of a core busy; ` +
    `${monitorMemoryMb(COMPUTED)} MB have ${coreShare(monitorMemoryMb(COMPUTED)).toFixed(2)}`
  )
}
