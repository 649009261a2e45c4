/**
 * Starts a monitor once a minute, anywhere in its minute, sometimes twice, and in bad weather harms
 * them: they die between any two steps, freeze, or go by a clock that is far off.
 */
import { createMonitor } from '../../functions/monitor/loop.ts'
import { formatMicroTime } from '../../shared/kube/time.ts'
import type { Settings } from '../../shared/lifecycle/settings.ts'
import type { Store } from '../../shared/store/ports.ts'
import type { Dice } from './dice.ts'
import type { Door } from './door.ts'
import { newProcess, type Process, survive } from './process.ts'
import type { TimeLine } from './time-line.ts'
import type { Weather } from './weather.ts'

export interface MonitorParts {
  readonly time: TimeLine
  readonly dice: Dice
  readonly weather: Weather
  readonly settings: Settings
  readonly doors: readonly Door[]
  readonly storeOf: (process: Process) => Store
  readonly uuid: () => string
  readonly maxSkewMs: number
}

const FATES = ['dies', 'dies', 'freezes', 'freezes', 'goes on', 'goes on', 'goes on'] as const
const MINUTE_MS = 60_000
/** As the deployed function has it. */
const CONCURRENCY = 3

export function startMonitors(parts: MonitorParts): void {
  const { time, dice, weather } = parts
  const alive = new Set<Process>()
  let count = 0

  const start = () => {
    for (const process of alive) if (process.isDead) alive.delete(process)
    if (alive.size >= CONCURRENCY) return
    count += 1
    const process = newProcess('monitor', `monitor-${count}`, time.nowMs(), skewOf(parts))
    if (weather.monitorsSuffer && dice.chance(0.5)) process.callsLeft = dice.whole(0, 150)
    alive.add(process)
    void run(parts, process).finally(() => alive.delete(process))
  }

  const minute = () => {
    for (let starts = dice.chance(0.05) ? 2 : 1; starts > 0; starts -= 1)
      time.after(dice.between(0, MINUTE_MS), start)
    time.after(MINUTE_MS, minute)
  }

  const harm = () => {
    for (const process of alive) {
      const fate = weather.monitorsSuffer ? dice.pick(FATES) : 'spared'
      if (fate === 'spared') process.callsLeft = Number.POSITIVE_INFINITY
      if (fate === 'dies') process.isDead = true
      if (fate === 'freezes') process.stalledUntilMs = time.nowMs() + dice.between(100, 90_000)
    }
    time.after(dice.between(2_000, 20_000), harm)
  }

  start()
  minute()
  harm()
}

function skewOf({ dice, weather, maxSkewMs }: MonitorParts): number {
  if (weather.monitorsSuffer && dice.chance(0.4)) return dice.between(-120_000, 120_000)
  return Math.round(dice.between(-maxSkewMs, maxSkewMs))
}

async function run(parts: MonitorParts, process: Process): Promise<void> {
  const { time, dice, settings, storeOf, uuid } = parts
  const monitor = createMonitor({
    store: storeOf(process),
    settings,
    clock: () => Math.floor(time.nowMs() + process.skewMs),
    sleep: async (ms, signal) => {
      await time.sleep(ms, signal)
      await survive(process, time)
    },
    random: dice.random,
    uuid,
    log: () => {},
    canary: (nowMs) => beatOurself(parts, process, nowMs),
  })
  // A start that cannot even ask whose turn it is fails; the next one is a minute away.
  await monitor.run(new AbortController().signal).catch(() => {})
}

const CANARY = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/leasehold-canary'

/** By the way hosts take, but for the network, which is theirs. */
async function beatOurself(parts: MonitorParts, process: Process, nowMs: number): Promise<void> {
  const { time, dice, doors } = parts
  const renewTime = formatMicroTime(nowMs * 1_000)
  const spec = { holderIdentity: 'leasehold-canary', leaseDurationSeconds: 60, renewTime }
  const metadata = { name: 'leasehold-canary', namespace: 'kube-system' }
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }
  const type = 'application/merge-patch+json'
  const door = dice.pick(doors)
  const body = { spec }
  let reply = await door.call('canary', { method: 'PATCH', path: CANARY, body, type })
  if (reply.status === 404)
    reply = await door.call('canary', { method: 'PUT', path: CANARY, body: lease })
  await survive(process, time)
  process.isCanaryWell = reply.status < 300
  if (!process.isCanaryWell) throw new Error(`the canary was answered with ${reply.status}`)
}
