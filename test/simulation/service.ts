/**
 * The service of a world: one memory, and a way to it for every process with its clock and
 * troubles.
 */
import { newMemory } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { type ApiProcess, startApiProcess } from './api-process.ts'
import { type Faults, storeFaultIn } from './faults.ts'
import { observedStore, type Witness } from './observed-store.ts'
import { distantStore, newProcess, type Process, stampSkewMs } from './process.ts'
import { rngOf } from './rng.ts'
import type { TimeLine } from './time-line.ts'

/** A stopped database answers when it goes on. */
const MOST_LATE_MS = 10_000

export interface Service {
  readonly apis: readonly ApiProcess[]
  readonly storeOf: (by: Process) => Store
  readonly uuid: () => string
}

export interface ServiceParts {
  readonly seed: number
  readonly time: TimeLine
  readonly faults: Faults
  readonly witness: Witness
  /** How far the clocks of processes may be off. */
  readonly maxSkewMs: number
}

export function openService({ seed, time, faults, witness, maxSkewMs }: ServiceParts): Service {
  const rng = rngOf(seed, 'store')
  // The memory has no clock of its own: it goes by the clock of the process that writes.
  let clockSkewMs = 0
  const memory = newMemory({
    clock: () => Math.floor(time.nowMs() + clockSkewMs),
    indexLagMs: () => rng.between(0, faults.maxIndexLagMs),
  })
  const withClock = <T>(by: Process, act: () => T): T => {
    clockSkewMs = stampSkewMs(by)
    try {
      return act()
    } finally {
      clockSkewMs = 0
    }
  }
  const nearStore = (by: Process) =>
    observedStore({ memory, by, nowMs: time.nowMs, withClock, witness })
  const storeOf = (by: Process) =>
    distantStore(nearStore(by), by, {
      time,
      latencyMs: () => rng.between(1, faults.maxLatencyMs),
      lateMs: () => rng.between(1, MOST_LATE_MS),
      faultOf: () => storeFaultIn(faults, by.kind, rng),
    })
  let uuids = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`
  const apis = ['api-1', 'api-2'].map((name) => {
    const skewMs = Math.round(rng.between(-maxSkewMs, maxSkewMs))
    const process = newProcess('api', name, time.nowMs(), skewMs)
    const stores = { store: storeOf(process), beats: nearStore(process).leases }
    return startApiProcess({ time, rng: rngOf(seed, name), process, uuid, ...stores })
  })
  return { apis, storeOf, uuid }
}
