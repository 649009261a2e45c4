/** One seeded world from beginning to end, with everybody in it and somebody who watches. */
import type { Settings } from '../../shared/lifecycle/settings.ts'
import { abilities } from './ability.ts'
import { diceOf } from './dice.ts'
import { startHappenings } from './happenings.ts'
import { newHost, wake } from './host.ts'
import { appointJudge } from './judge.ts'
import { startRivals } from './locks.ts'
import { type Counts, newLog, note } from './log.ts'
import { startMonitors } from './monitors.ts'
import { network } from './network.ts'
import type { Witness } from './observed-store.ts'
import { openService, type Service } from './service.ts'
import { settingsOf } from './settings.ts'
import { type TimeLine, timeLine } from './time-line.ts'
import { newTruth } from './truth.ts'
import { calm, moodIn, startWeather, type Weather } from './weather.ts'

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
 * From the end of a storm until a monitor must be at work again: two starts, and a lease run out.
 */
const RECOVERY_MS = 180_000
const LOOK_EVERY_MS = 5_000

export async function simulate(plan: Plan): Promise<Outcome> {
  const { seed, hours, nodes } = plan
  const dice = diceOf(seed, 'world')
  const settings = { ...settingsOf(dice), ...plan.settings }
  const time = timeLine(START_MS)
  const weather = calm()
  const able = abilities(time.nowMs, RECOVERY_MS)
  const judge = appointJudge(newTruth(settings), able, time.nowMs)
  const log = newLog()
  const witness: Witness = (write) => {
    judge.onWrite(write)
    if (judge.broken) return
    note(log, write)
    plan.witness?.(write)
  }
  const maxSkewMs = dice.pick([0, 100, 1_900])
  const service = openService({ seed, time, weather, witness, maxSkewMs })
  const zones = Array.from({ length: plan.zones }, (_, at) => `zone-${at + 1}`)
  populate(plan, { time, weather, service, settings, zones })
  const onDisturbance = able.disturb
  startWeather({ time, dice: diceOf(seed, 'weather'), weather, zones, onDisturbance })
  const { doors, storeOf, uuid } = service
  const monitorDice = diceOf(seed, 'monitors')
  startMonitors({ time, dice: monitorDice, weather, settings, doors, storeOf, uuid, maxSkewMs })
  able.disturb('running', START_MS)

  const endMs = START_MS + hours * HOUR_MS
  while (time.nowMs() < endMs && !judge.broken) {
    await time.run(Math.min(endMs, time.nowMs() + LOOK_EVERY_MS))
    judge.onLook()
  }
  const { fingerprint, counts } = log
  const nodeHours = ((time.nowMs() - START_MS) / HOUR_MS) * nodes
  const { broken } = judge
  const end = broken && { broken: { ...broken, atMs: broken.atMs - START_MS } }
  return { seed, nodeHours, fingerprint, counts, ...end }
}

interface Place {
  readonly time: TimeLine
  readonly weather: Weather
  readonly service: Service
  readonly settings: Settings
  readonly zones: readonly string[]
}

/** Hosts that wake one after the other, people, and programs that compete for locks. */
function populate({ seed, nodes, isWhole = seed % 10 === 0 }: Plan, place: Place): void {
  const { time, weather, settings, zones } = place
  const { doors } = place.service
  const dice = diceOf(seed, 'hosts')
  const hosts = Array.from({ length: nodes }, (_, at) =>
    newHost(`host-${at + 1}`, zones[at % zones.length]!, dice),
  )
  const mood = () => moodIn(weather, 'api', dice)
  const scene = {
    time,
    dice: diceOf(seed, 'happenings'),
    network: network({ time, dice: diceOf(seed, 'network'), weather, doors, mood, isWhole }),
    beatMs: settings.nodeLeaseRenewIntervalMs,
    hosts,
    zones,
    doors,
    pods: 0,
  }
  for (const host of hosts) time.after(dice.between(0, 20_000), () => wake(scene, host))
  startHappenings(scene, dice.pick([10_000, 30_000, 90_000]))
  startRivals({ time, dice: diceOf(seed, 'locks'), doors }, 3)
}
