/**
 * `npm run blackout`: every host of three zones falls silent at once, as when the network in front
 * of the service breaks. The monitor as it ships, with its default settings and in real time, on the
 * embedded DynamoDB: how long does it take to find all of them, and how many does it taint or evict?
 *
 * Only most of the grace is skipped: the last beats came spread over ten seconds, as beats do, and
 * the monitor starts thirty seconds after the last of them. docs/comparison.md says what
 * kube-controller-manager did with the same fleet.
 */
import { randomUUID } from 'node:crypto'
import { createMonitor } from '../functions/monitor/loop.ts'
import { interruptibleSleep } from '../functions/monitor/sleep.ts'
import { startEngine } from '../local/engine/engine.ts'
import { clientFor, prepareTables } from '../local/engine/store.ts'
import { flag, stringFlag, UsageError, wholeFlag } from '../shared/flags/flag-set.ts'
import { type Program, runProgram, terminalOf } from '../shared/flags/program.ts'
import type { Node } from '../shared/kube/objects.ts'
import { pods as podResource } from '../shared/kube/pod/resource.ts'
import { defaultSettings } from '../shared/lifecycle/settings.ts'
import type { CapacityUsage } from '../shared/store/dynamo/calls.ts'
import { dynamoStore } from '../shared/store/dynamo/store.ts'
import type { Store, WriteStep } from '../shared/store/ports.ts'
import { type TableNames, tableNames } from '../shared/store/tables.ts'
import { nodeName, runningPod } from '../test/builders/objects.ts'
import { seedFleet } from '../test/builders/seeded-fleet.ts'

const NODES = 5_000
const MOST_NODES = 20_000
const BEATS_SPREAD_MS = 10_000
const STARTS_AFTER_MS = 40_000
/** Long enough for every zone to grant tokens, had it any to grant. */
const WATCHED_AFTER_MS = 60_000
/** Every tenth host runs a pod that would go with the first NoExecute taint. */
const POD_ON_EVERY = 10
const PODS_AT_ONCE = 50

interface Tally {
  marked: number
  tainted: number
  evicted: number
  requests: number
  firstMarkAtMs?: number
  lastMarkAtMs?: number
}

async function play(nodes: number): Promise<Tally> {
  const engine = await startEngine()
  try {
    const tables = tableNames('blackout')
    await prepareTables({ endpoint: engine.endpoint, tables })
    const firstBeatMs = Date.now()
    const beatMs = () => firstBeatMs + Math.random() * BEATS_SPREAD_MS
    await seed(storeAt(engine.endpoint, tables, beatMs), beatMs, nodes)
    const aheadMs = firstBeatMs + STARTS_AFTER_MS - Date.now()
    return await watchMonitor(engine.endpoint, tables, () => Date.now() + aheadMs, nodes)
  } finally {
    await engine.stop()
  }
}

async function seed(store: Store, clock: () => number, nodes: number): Promise<void> {
  console.log(`writing ${nodes} nodes in three zones, ${nodes / POD_ON_EVERY} pods`)
  await seedFleet(store, clock, nodes)
  const steps = Array.from({ length: nodes / POD_ON_EVERY }, (_, at): WriteStep => {
    const name = nodeName(at * POD_ON_EVERY)
    const object = runningPod(`web-${name}`, name, { nowMs: clock() })
    const fields = podResource.selectable(object)
    return { do: 'createObject', resource: 'pods', object, fields }
  })
  for (let at = 0; at < steps.length; at += PODS_AT_ONCE)
    await store.commit(steps.slice(at, at + PODS_AT_ONCE))
}

async function watchMonitor(
  endpoint: string,
  tables: TableNames,
  clock: () => number,
  nodes: number,
): Promise<Tally> {
  const tally: Tally = { marked: 0, tainted: 0, evicted: 0, requests: 0 }
  const onUsage = ({ operation, table }: CapacityUsage) => {
    // A transaction tells what it used table by table; every one touches the objects.
    const isOwn = operation !== 'TransactWriteItems' || table === tables.objects
    if (isOwn && tally.marked < nodes) tally.requests += 1
  }
  const store = counted(storeAt(endpoint, tables, clock, onUsage), tally, clock)
  const stopping = new AbortController()
  const monitor = createMonitor({
    store,
    settings: defaultSettings,
    clock,
    sleep: interruptibleSleep,
    random: Math.random,
    uuid: randomUUID,
    log: ({ level, message, error }) => level === 'error' && console.error(message, error),
  })
  const ended = monitor.run(stopping.signal)
  await untilWatched(tally, nodes, clock)
  stopping.abort()
  await ended
  return tally
}

/** Until the last host was marked and a minute has passed, with a line every five seconds. */
async function untilWatched(tally: Tally, nodes: number, clock: () => number): Promise<void> {
  const startedMs = clock()
  const deadlineMs = startedMs + BEATS_SPREAD_MS + 10 * WATCHED_AFTER_MS
  const isOver = () =>
    tally.marked >= nodes && clock() - (tally.lastMarkAtMs ?? 0) > WATCHED_AFTER_MS
  while (!isOver() && clock() < deadlineMs) {
    await interruptibleSleep(5_000)
    const seconds = Math.round((clock() - startedMs) / 1_000)
    const { marked, tainted, evicted } = tally
    console.log(`${seconds} s: ${marked} marked Unknown, ${tainted} tainted, ${evicted} evicted`)
  }
}

function storeAt(
  endpoint: string,
  tables: TableNames,
  clock: () => number,
  onUsage?: (usage: CapacityUsage) => void,
): Store {
  return dynamoStore({
    client: clientFor({ endpoint }),
    tables,
    clock,
    random: Math.random,
    sleep: async (ms) => await interruptibleSleep(ms),
    onUsage,
    // The clock is set ahead here, so the engine's is no judge of it.
    guard: { observe: () => {}, skewMs: () => 0, nowMs: clock },
  })
}

/** Counts what was really written, not what was decided. */
function counted(store: Store, tally: Tally, clock: () => number): Store {
  const commit: Store['commit'] = async (steps) => {
    const done = await store.commit(steps)
    for (const step of done.kind === 'committed' ? steps : []) count(tally, step, clock())
    return done
  }
  return { ...store, commit }
}

function count(tally: Tally, step: WriteStep, nowMs: number): void {
  if (step.do === 'declareSilent') {
    tally.marked += 1
    tally.firstMarkAtMs ??= nowMs
    tally.lastMarkAtMs = nowMs
  }
  if (step.do !== 'replaceObject') return
  const { object } = step
  if (object.kind === 'Node') tally.tainted += hasNoExecute(object as Node) ? 1 : 0
  if (object.kind === 'Pod') tally.evicted += object.metadata.deletionTimestamp ? 1 : 0
}

const hasNoExecute = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ effect }) => effect === 'NoExecute') ?? false

const LEAST_NODES = 30

const blackout: Program = {
  call: 'npm run blackout --',
  summary: 'Every host falls silent at once: who is marked, tainted, evicted? Takes two minutes.',
  flags: { nodes: flag('N', `${LEAST_NODES} to ${MOST_NODES} hosts`, String(NODES)) },
  async run({ nodes: asked }) {
    const nodes = wholeFlag('nodes', stringFlag(asked) ?? String(NODES), MOST_NODES)
    if (nodes < LEAST_NODES) throw new UsageError(`--nodes ${nodes}: at least ${LEAST_NODES}`)
    const { marked, tainted, evicted, requests, ...times } = await play(nodes)
    const ms = (times.lastMarkAtMs ?? 0) - (times.firstMarkAtMs ?? 0)
    console.log(`\n${nodes} hosts in three zones silent at once, default settings:`)
    console.log(`  marked Unknown      ${marked}, from first to last ${(ms / 1_000).toFixed(1)} s`)
    console.log(`                      in ${requests} requests to DynamoDB`)
    console.log(`  tainted NoExecute   ${tainted}`)
    console.log(`  pods evicted        ${evicted}`)
    return marked === nodes && tainted === 0 && evicted === 0 ? 0 : 1
  },
}

process.exitCode = await runProgram(blackout, process.argv.slice(2), terminalOf(process.env))
