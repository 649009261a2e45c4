/**
 * The service of a world: one memory, and a way to it for every process with its clock and
 * troubles.
 */
import { newMemory } from '../../shared/store/memory/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { diceOf } from './dice.ts'
import { type Door, openDoor } from './door.ts'
import { observedStore, type Witness } from './observed-store.ts'
import { distantStore, newProcess, type Process, stampSkewMs } from './process.ts'
import type { TimeLine } from './time-line.ts'
import { moodIn, type Weather } from './weather.ts'

export interface Service {
  readonly doors: readonly Door[]
  readonly storeOf: (by: Process) => Store
  readonly uuid: () => string
}

export interface ServiceParts {
  readonly seed: number
  readonly time: TimeLine
  readonly weather: Weather
  readonly witness: Witness
  /** How far the clocks of processes may be off. */
  readonly maxSkewMs: number
}

export function openService({ seed, time, weather, witness, maxSkewMs }: ServiceParts): Service {
  const dice = diceOf(seed, 'store')
  // The memory has no clock of its own: it goes by that of whoever writes.
  let clockSkewMs = 0
  const memory = newMemory({
    clock: () => Math.floor(time.nowMs() + clockSkewMs),
    indexLagMs: () => dice.between(0, weather.maxIndexLagMs),
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
      latencyMs: () => dice.between(1, weather.maxLatencyMs),
      mood: () => moodIn(weather, by.kind, dice),
    })
  let uuids = 0
  const uuid = () => `00000000-0000-4000-8000-${String(++uuids).padStart(12, '0')}`
  const doors = ['api-1', 'api-2'].map((name) => {
    const skewMs = Math.round(dice.between(-maxSkewMs, maxSkewMs))
    const process = newProcess('api', name, time.nowMs(), skewMs)
    const stores = { store: storeOf(process), beats: nearStore(process).leases }
    return openDoor({ time, dice: diceOf(seed, name), process, uuid, ...stores })
  })
  return { doors, storeOf, uuid }
}
