/**
 * Starts a monitor once a minute, anywhere in its minute, sometimes twice, and in times of faults harms
 * them: they die between any two steps, freeze, or go by a clock that is far off.
 */
import { createMonitor } from '../../functions/monitor/loop.ts'
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { ApiProcess } from './api-process.ts'
import type { Faults } from './faults.ts'
import { newProcess, type Process, survive } from './process.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

export interface MonitorParts {
  readonly time: TimeLine
  readonly rng: Rng
  readonly faults: Faults
  readonly settings: Settings
  readonly apis: readonly ApiProcess[]
  readonly storeOf: (process: Process) => Store
  readonly uuid: () => string
  readonly maxSkewMs: number
}

const FATES = ['dies', 'dies', 'freezes', 'freezes', 'goes on', 'goes on', 'goes on'] as const
const MINUTE_MS = 60_000
/** As the deployed function has it. */
const CONCURRENCY = 3

export function startMonitors(parts: MonitorParts): void {
  const { time, rng, faults } = parts
  const alive = new Set<Process>()
  let count = 0

  const start = () => {
    for (const process of alive) if (process.isDead) alive.delete(process)
    if (alive.size >= CONCURRENCY) return
    count += 1
    const process = newProcess('monitor', `monitor-${count}`, time.nowMs(), skewOf(parts))
    if (faults.monitorsFail && rng.chance(0.5)) process.callsLeft = rng.whole(0, 150)
    alive.add(process)
    void run(parts, process).finally(() => alive.delete(process))
  }

  const minute = () => {
    for (let starts = rng.chance(0.05) ? 2 : 1; starts > 0; starts -= 1)
      time.after(rng.between(0, MINUTE_MS), start)
    time.after(MINUTE_MS, minute)
  }

  const harm = () => {
    for (const process of alive) {
      const result = faults.monitorsFail ? rng.pick(FATES) : 'spared'
      if (result === 'spared') process.callsLeft = Number.POSITIVE_INFINITY
      if (result === 'dies') process.isDead = true
      if (result === 'freezes') process.stalledUntilMs = time.nowMs() + rng.between(100, 90_000)
    }
    time.after(rng.between(2_000, 20_000), harm)
  }

  start()
  minute()
  harm()
}

function skewOf({ rng, faults, maxSkewMs }: MonitorParts): number {
  if (faults.monitorsFail && rng.chance(0.4)) return rng.between(-120_000, 120_000)
  return Math.round(rng.between(-maxSkewMs, maxSkewMs))
}

async function run(parts: MonitorParts, process: Process): Promise<void> {
  const { time, rng, settings, storeOf, uuid } = parts
  const monitor = createMonitor({
    store: storeOf(process),
    settings,
    clock: () => Math.floor(time.nowMs() + process.skewMs),
    sleep: async (ms, signal) => {
      await time.sleep(ms, signal)
      await survive(process, time)
    },
    random: rng.random,
    uuid,
    log: () => {},
    canary: (nowMs) => sendCanaryBeat(parts, process, nowMs),
  })
  // A start that cannot even ask whose turn it is fails; the next one is a minute away.
  await monitor.run(new AbortController().signal).catch(() => {})
}

const CANARY = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leasehold-canary'

/** By the way hosts take, but for the network, which is theirs. */
async function sendCanaryBeat(parts: MonitorParts, process: Process, nowMs: number): Promise<void> {
  const { time, rng, apis } = parts
  const renewTime = formatMicroTime(nowMs * 1_000)
  const spec = { holderIdentity: 'leasehold-canary', leaseDurationSeconds: 60, renewTime }
  const metadata = { name: 'leasehold-canary', namespace: 'kube-system' }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
  const type = 'application/merge-patch+json'
  const api = rng.pick(apis)
  const body = { spec }
  let reply = await api.call('canary', { method: 'PATCH', path: CANARY, body, type })
  if (reply.status === 404)
    reply = await api.call('canary', { method: 'PUT', path: CANARY, body: lease })
  await survive(process, time)
  process.isCanaryWell = reply.status < 300
  if (!process.isCanaryWell) throw new Error(`the canary was answered with ${reply.status}`)
}
