/** One seeded world from beginning to end, with everything that runs in it and a check of every invariant. */
import type { Settings } from '../../shared/lifecycle/settings.ts'
import { availabilities } from './availability.ts'
import { type Faults, noFaults, startFaults, startRefusals, storeFaultIn } from './faults.ts'
import { newHost, wake } from './host.ts'
import { checkInvariants } from './invariant-checker.ts'
import type { OnAnswer } from './invariants/answers.ts'
import { startRivals } from './locks.ts'
import { type Counts, newLog, note } from './log.ts'
import { startMonitors } from './monitors.ts'
import { network } from './network.ts'
import type { Witness } from './observed-store.ts'
import { startRandomEvents } from './random-events.ts'
import { rngOf } from './rng.ts'
import { openService, type Service } from './service.ts'
import { settingsOf } from './settings.ts'
import { type TimeLine, timeLine } from './time-line.ts'
import { newTruth } from './truth.ts'

export interface Plan {
  readonly seed: number
  readonly hours: number
  readonly nodes: number
  readonly zones: number
  /** Beats go through the whole api too; by default in every tenth seed. */
  readonly isWhole?: boolean
  readonly settings?: Partial<Settings>
  /** Told of every write that broke nothing. */
  readonly witness?: Witness
}

export interface Outcome {
  readonly seed: number
  readonly nodeHours: number
  /** The same for the same run. */
  readonly fingerprint: number
  readonly counts: Counts
  /** `atMs` counts from the beginning of the world. */
  readonly broken?: { readonly why: string; readonly atMs: number }
}

const START_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
/**
 * From the end of a fault until a monitor must be at work again: two starts, and a lease run out.
 */
const RECOVERY_MS = 180_000
const LOOK_EVERY_MS = 5_000

export async function simulate(plan: Plan): Promise<Outcome> {
  const { seed, hours, nodes } = plan
  const rng = rngOf(seed, 'world')
  const settings = { ...settingsOf(rng), ...plan.settings }
  const time = timeLine(START_MS)
  const faults = noFaults()
  const availability = availabilities(time.nowMs, RECOVERY_MS)
  const checker = checkInvariants(newTruth(settings), availability, time.nowMs)
  const log = newLog()
  const witness: Witness = (write) => {
    checker.onWrite(write)
    if (checker.broken) return
    note(log, write)
    plan.witness?.(write)
  }
  const maxSkewMs = rng.pick([0, 100, 1_900])
  const service = openService({ seed, time, faults, witness, maxSkewMs })
  const zones = Array.from({ length: plan.zones }, (_, at) => `zone-${at + 1}`)
  const { onAnswer } = checker
  populate(plan, { time, faults, service, settings, zones, onAnswer })
  const onDisturbance = availability.disturb
  startFaults({ time, rng: rngOf(seed, 'weather'), faults, zones, onDisturbance })
  const { apis, storeOf, uuid } = service
  const monitorRng = rngOf(seed, 'monitors')
  startMonitors({ time, rng: monitorRng, faults, settings, apis, storeOf, uuid, maxSkewMs })
  availability.disturb('running', START_MS)

  const endMs = START_MS + hours * HOUR_MS
  while (time.nowMs() < endMs && !checker.broken) {
    await time.run(Math.min(endMs, time.nowMs() + LOOK_EVERY_MS))
    checker.onCheck()
  }
  const { fingerprint, counts } = log
  const nodeHours = ((time.nowMs() - START_MS) / HOUR_MS) * nodes
  const { broken } = checker
  const end = broken && { broken: { ...broken, atMs: broken.atMs - START_MS } }
  return { seed, nodeHours, fingerprint, counts, ...end }
}

interface Place {
  readonly time: TimeLine
  readonly faults: Faults
  readonly service: Service
  readonly settings: Settings
  readonly zones: readonly string[]
  readonly onAnswer: OnAnswer
}

/** Hosts that wake one after the other, people, and programs that compete for locks. */
function populate({ seed, nodes, isWhole = seed % 10 === 0 }: Plan, place: Place): void {
  const { time, faults, settings, zones, onAnswer } = place
  const { apis } = place.service
  const rng = rngOf(seed, 'hosts')
  const hosts = Array.from({ length: nodes }, (_, at) =>
    newHost(`host-${at + 1}`, zones[at % zones.length]!, rng),
  )
  const faultOf = () => storeFaultIn(faults, 'api', rng)
  const names = hosts.map(({ name }) => name)
  const refusedHosts = startRefusals(time, rngOf(seed, 'refusals'), names)
  const paths = { time, rng: rngOf(seed, 'network'), faults, apis, faultOf, isWhole, refusedHosts }
  const scene = {
    time,
    rng: rngOf(seed, 'happenings'),
    network: network(paths),
    beatMs: settings.nodeLeaseRenewIntervalMs,
    hosts,
    zones,
    apis,
    pods: 0,
  }
  for (const host of hosts) time.after(rng.between(0, 20_000), () => wake(scene, host))
  startRandomEvents(scene, rng.pick([10_000, 30_000, 90_000]))
  startRivals({ time, rng: rngOf(seed, 'locks'), apis, onAnswer }, 3)
}
