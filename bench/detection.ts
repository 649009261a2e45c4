/**
 * How long after its deadline is a silent host written down as Unknown? In real time, on the
 * embedded DynamoDB: the monitor as local mode runs it, api and canary included, over a fleet of
 * which a third falls silent, host by host, over three ticks.
 *
 * The baseline is what Kubernetes does, at the same moments over a fleet of the same kind in the
 * same engine: the same tick at the same period, with nothing between ticks. A deadline then waits
 * for up to a period. Both are measured from `receivedAtMs` + grace to the moment the transaction
 * that marks the host was acknowledged. The budget is the design's: half a second where Kubernetes
 * needs five, at the 99th of a hundred hosts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openSession } from '../functions/monitor/session.ts'
import { interruptibleSleep } from '../functions/monitor/sleep.ts'
import { tick } from '../functions/monitor/tick.ts'
import { type Components, components } from '../local/components.ts'
import { dataFolder } from '../local/data-folder.ts'
import { startEngine } from '../local/engine/engine.ts'
import { openStore, prepareTables } from '../local/engine/store.ts'
import { ensureKeys } from '../local/keys.ts'
import { terminalLog } from '../local/log.ts'
import { startMonitor } from '../local/monitor.ts'
import { localApi } from '../local/serve/api.ts'
import { serverCertificate } from '../local/serve/certificates.ts'
import { serve } from '../local/serve/https-server.ts'
import { formatMicroTime } from '../shared/kube/time.ts'
import { defaultSettings } from '../shared/lifecycle/settings.ts'
import { nodeLeaseNamespace } from '../shared/store/lease-state.ts'
import type { Store } from '../shared/store/ports.ts'
import { tableNames } from '../shared/store/tables.ts'
import { nodeName } from '../test/builders/objects.ts'
import { seedFleet } from '../test/builders/seeded-fleet.ts'
import { type Bench, printTable, quantile } from './bench.ts'

const NODES = 900
const BEAT_MS = 4_000
const SETTINGS = {
  ...defaultSettings,
  // Only shorter than usual, so that the bench ends; the period is the usual one.
  nodeMonitorGracePeriodMs: 10_000,
  nodeLeaseRenewIntervalMs: BEAT_MS,
}
const { nodeMonitorPeriodMs: PERIOD_MS, nodeMonitorGracePeriodMs: GRACE_MS } = SETTINGS
const SPREAD_MS = 3 * PERIOD_MS
/** A mark that has not come by then is not waited for. */
const DEADLINE_MS = BEAT_MS + SPREAD_MS + GRACE_MS + 4 * PERIOD_MS
const POLL_MS = 100
const BUDGET = 0.1

const log = terminalLog((line) => console.error(line), false)

export const bench: Bench = async () => {
  const running = components()
  try {
    const { endpoint } = await running.add('DynamoDB', () => startEngine())
    const [ours, ticksOnly] = [await seeded(endpoint, 'ours'), await seeded(endpoint, 'ticks')]
    await running.add('monitor', () => localMonitor(running, ours.store))
    await running.add('ticks', () => tickAlone(ticksOnly.store))
    const lateness = monitorEventLoopDelay({ resolution: 10 })
    lateness.enable()
    await fallSilent([ours, ticksOnly])
    const ratios = report(await lagsOf(ours), await lagsOf(ticksOnly))
    // On a busy machine this is in all of the figures.
    console.log(
      `the process itself was up to ${seconds(lateness.percentile(99) / 1e6)} s late (p99)`,
    )
    return ratios
  } finally {
    await running.stop()
  }
}

function report(ours: readonly number[], ticksOnly: readonly number[]) {
  const row = (name: string, lagsMs: readonly number[]) => ({
    'deadline -> Unknown written': name,
    hosts: lagsMs.length,
    'p50 s': seconds(quantile(lagsMs, 0.5)),
    'p99 s': seconds(quantile(lagsMs, 0.99)),
    'max s': seconds(quantile(lagsMs, 1)),
  })
  printTable([row('the monitor of local mode', ours), row('at ticks only', ticksOnly)])
  const ratio = quantile(ours, 0.99) / quantile(ticksOnly, 0.99)
  return [{ name: 'detection: p99 over that of ticks only', ratio, budget: BUDGET }]
}

const seconds = (ms: number) => (ms / 1_000).toFixed(3)

// ---- hosts --------------------------------------------------------------------------------------

interface Fleet {
  readonly store: Store
  readonly markedAtMs: ReadonlyMap<string, number>
  readonly hosts: readonly Host[]
}

interface Host {
  readonly name: string
  /** From the start; those that stay alive have none. */
  readonly silentAfterMs?: number
  nextBeatMs: number
}

async function seeded(endpoint: string, name: string): Promise<Fleet> {
  const address = { endpoint, tables: tableNames(`bench-${name}`) }
  await prepareTables(address)
  const store = openStore(address)
  await seedFleet(store, Date.now, NODES)
  return { ...watched(store), hosts: Array.from({ length: NODES }, (_, at) => hostAt(at)) }
}

/** A third of each of the three zones, so that no zone counts as disrupted. */
function hostAt(at: number): Host {
  const isMortal = Math.floor(at / 3) % 3 === 0
  const nextBeatMs = Math.random() * BEAT_MS
  // Not before every host has beaten once: deadlines would be as close together as the seeding.
  const silentAfterMs = BEAT_MS + (at / NODES) * SPREAD_MS
  return { name: nodeName(at), nextBeatMs, ...(isMortal && { silentAfterMs }) }
}

/** Notes when each mark was acknowledged; `declaredAtMs` is when it was decided. */
function watched(store: Store): Pick<Fleet, 'store' | 'markedAtMs'> {
  const markedAtMs = new Map<string, number>()
  const commit: Store['commit'] = async (steps) => {
    const done = await store.commit(steps)
    for (const step of done.kind === 'committed' ? steps : [])
      if (step.do === 'declareSilent') markedAtMs.set(step.lease.key.name, Date.now())
    return done
  }
  return { store: { ...store, commit }, markedAtMs }
}

/** Hosts beat at their own pace, some stop; ends when each of those is marked. */
async function fallSilent(fleets: readonly Fleet[]): Promise<void> {
  const startedMs = performance.now()
  while (!fleets.every(isNoticed)) {
    const elapsedMs = performance.now() - startedMs
    if (elapsedMs > DEADLINE_MS) throw new Error('not every silent host was marked in time')
    await Promise.all(fleets.map((fleet) => beatAll(fleet, elapsedMs)))
    await interruptibleSleep(POLL_MS)
  }
}

const silentOnes = ({ hosts }: Fleet) => hosts.filter((host) => host.silentAfterMs !== undefined)

const isNoticed = (fleet: Fleet) =>
  silentOnes(fleet).every(({ name }) => fleet.markedAtMs.has(name))

async function beatAll({ store, hosts }: Fleet, elapsedMs: number): Promise<void> {
  const due = hosts.filter(
    ({ nextBeatMs, silentAfterMs = Number.POSITIVE_INFINITY }) =>
      nextBeatMs <= elapsedMs && elapsedMs < silentAfterMs,
  )
  await Promise.all(
    due.map(async (host) => {
      host.nextBeatMs += BEAT_MS
      const spec = { renewTime: formatMicroTime(Date.now() * 1_000) }
      await store.leases.renew({ key: keyOf(host), spec })
    }),
  )
}

const keyOf = ({ name }: Host) => ({ namespace: nodeLeaseNamespace, name })

async function lagsOf(fleet: Fleet): Promise<readonly number[]> {
  const leases = await fleet.store.leases.read(silentOnes(fleet).map(keyOf))
  return leases.map(
    ({ key, receivedAtMs = 0 }) => fleet.markedAtMs.get(key.name)! - (receivedAtMs + GRACE_MS),
  )
}

// ---- the two monitors ---------------------------------------------------------------------------

/** With the api in front of it that its canary goes through. */
async function localMonitor(running: Components, store: Store) {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-bench-'))
  const data = dataFolder(folder)
  ensureKeys(data)
  const certificate = await serverCertificate(folder, Date.now())
  const api = localApi({ store, data, log: log.entry })
  const { port } = await running.add('api', async () => {
    const server = await serve(api.fetch, { port: 0, certificate })
    const stop = async () => {
      await server.stop()
      rmSync(folder, { recursive: true })
    }
    return { port: server.port, stop }
  })
  const { caPem } = certificate
  const plan = { store, settings: SETTINGS, data, api: `https://127.0.0.1:${port}`, caPem, log }
  return startMonitor(plan)
}

function tickAlone(store: Store) {
  const stopping = new AbortController()
  const session = openSession({
    store,
    settings: SETTINGS,
    clock: Date.now,
    sleep: interruptibleSleep,
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    log: log.entry,
  })
  const ticking = async () => {
    // Half a period beside the other one's, so that neither waits for the other's work.
    await interruptibleSleep(PERIOD_MS / 2, stopping.signal)
    while (!stopping.signal.aborted) {
      const { nowMs } = await tick(session)
      await interruptibleSleep(nowMs + PERIOD_MS - Date.now(), stopping.signal)
    }
  }
  const done = ticking()
  const stop = async () => {
    stopping.abort()
    await done
  }
  return { stop }
}
