/**
 * What goes wrong, when. Between two stretches of faults there is time for everything to recover.
 */
import type { StoreFault } from '../store-doubles/faulty-store.ts'
import type { Rng } from './rng.ts'
import type { TimeLine } from './time-line.ts'

export interface Faults {
  /** Likelihood that a call of that kind of process to the store goes wrong. */
  storeTrouble: { api: number; monitor: number }
  /** Of hosts' requests. */
  lossRate: number
  duplicateRate: number
  maxDelayMs: number
  maxLatencyMs: number
  maxIndexLagMs: number
  readonly cutZones: Set<string>
  /** Monitors that start now come to harm. */
  monitorsFail: boolean
}

export const noFaults = (): Faults => ({
  storeTrouble: { api: 0, monitor: 0 },
  lossRate: 0,
  duplicateRate: 0,
  maxDelayMs: 0,
  maxLatencyMs: 8,
  maxIndexLagMs: 200,
  cutZones: new Set(),
  monitorsFail: false,
})

const MONITOR_FAULTS = ['throttled', 'failed', 'lost'] as const
const API_FAULTS = [...MONITOR_FAULTS, 'lost', 'late'] as const

export function storeFaultIn(faults: Faults, kind: 'api' | 'monitor', rng: Rng): StoreFault {
  const trouble = faults.storeTrouble[kind]
  if (trouble === 0 || !rng.chance(trouble)) return 'none'
  // What a monitor writes late rests on what it looked at before its latest look: not told apart here.
  return rng.pick(kind === 'api' ? API_FAULTS : MONITOR_FAULTS)
}

/** What a fault does, and whether it keeps a monitor from working or from seeing. */
interface FaultKind {
  readonly begin: (faults: Faults, rng: Rng, zones: readonly string[]) => void
  readonly disturbs: 'running' | 'seeing' | 'nothing'
}

const FAULT_KINDS: readonly FaultKind[] = [
  {
    begin: (faults, rng) => (faults.storeTrouble.monitor = rng.between(0.02, 0.5)),
    disturbs: 'running',
  },
  {
    begin: (faults, rng) => (faults.storeTrouble.api = rng.between(0.05, 0.9)),
    disturbs: 'seeing',
  },
  {
    begin: (faults, rng) => {
      faults.storeTrouble = { api: rng.between(0, 0.4), monitor: rng.between(0, 0.4) }
      faults.maxLatencyMs = rng.between(100, 1_500)
    },
    disturbs: 'running',
  },
  {
    begin: (faults, rng) => {
      faults.lossRate = rng.between(0.05, 0.6)
      faults.duplicateRate = rng.between(0, 0.3)
      faults.maxDelayMs = rng.between(10, 8_000)
    },
    disturbs: 'nothing',
  },
  {
    begin: (faults, rng, zones) => void faults.cutZones.add(rng.pick(zones)),
    disturbs: 'nothing',
  },
  {
    // The blackout: every zone is cut off at once.
    begin: (faults, _rng, zones) => {
      for (const zone of zones) faults.cutZones.add(zone)
    },
    disturbs: 'nothing',
  },
  { begin: (faults) => (faults.monitorsFail = true), disturbs: 'running' },
  {
    begin: (faults, rng) => (faults.maxIndexLagMs = rng.between(500, 8_000)),
    disturbs: 'running',
  },
]

export interface FaultPlan {
  readonly time: TimeLine
  readonly rng: Rng
  readonly faults: Faults
  readonly zones: readonly string[]
  /** Called with each stretch in which monitors cannot be expected to work. */
  readonly onDisturbance: (what: 'running' | 'seeing', untilMs: number) => void
}

export function startFaults(plan: FaultPlan): void {
  const { time, rng } = plan
  time.after(rng.between(60_000, 600_000), () => startStretch(plan))
}

function startStretch(plan: FaultPlan): void {
  const { time, rng, faults, zones, onDisturbance } = plan
  const endMs = time.nowMs() + rng.between(20_000, 240_000)
  for (let count = rng.pick([1, 1, 1, 2, 3]); count > 0; count -= 1) {
    const { begin, disturbs } = rng.pick(FAULT_KINDS)
    begin(faults, rng, zones)
    if (disturbs !== 'nothing') onDisturbance(disturbs, endMs)
  }
  time.at(endMs, () => {
    Object.assign(faults, { ...noFaults(), cutZones: faults.cutZones })
    faults.cutZones.clear()
    startFaults(plan)
  })
}

/** The store refuses beats of one or two hosts alone, as a table does that has one hot partition. */
export function startRefusals(time: TimeLine, rng: Rng, hosts: readonly string[]): Set<string> {
  const refused = new Set<string>()
  const start = () => {
    for (const host of [rng.pick(hosts), rng.pick(hosts)]) refused.add(host)
    time.after(rng.between(20_000, 240_000), () => {
      refused.clear()
      time.after(rng.between(60_000, 900_000), start)
    })
  }
  time.after(rng.between(60_000, 900_000), start)
  return refused
}
