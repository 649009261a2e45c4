/** One running program: its clock, its way to the store, and how it may come to harm. */

import type { Store } from '../../shared/store/ports.ts'
import { type FaultOf, faultyStore } from '../store-doubles/faulty-store.ts'
import { wrappedStore } from '../store-doubles/wrapped-store.ts'
import type { TimeLine } from './time-line.ts'

export interface Process {
  readonly name: string
  readonly kind: 'monitor' | 'api'
  readonly startedAtMs: number
  /** Its clock minus the truth. */
  skewMs: number
  isDead: boolean
  /** Frozen until then, as a Lambda may be between two instructions. */
  stalledUntilMs: number
  /** It dies when it has called the store this often. */
  callsLeft: number
  /** The true time at which it began to read what it now judges by. */
  lookedAtMs: number
  /** Its own beat got through when it last tried. */
  isCanaryWell: boolean
}

export function newProcess(
  kind: Process['kind'],
  name: string,
  startedAtMs: number,
  skewMs: number,
): Process {
  return {
    name,
    kind,
    startedAtMs,
    skewMs,
    isDead: false,
    stalledUntilMs: 0,
    callsLeft: Number.POSITIVE_INFINITY,
    lookedAtMs: startedAtMs,
    isCanaryWell: true,
  }
}

/** Beyond this a clock is not believed, neither by its process nor by our invariants. */
export const TRUSTED_SKEW_MS = 2_000

/** What the process puts on its writes: its own clock, or the store's when its own is far off. */
export const stampSkewMs = ({ skewMs }: Process) =>
  Math.abs(skewMs) > TRUSTED_SKEW_MS ? 0 : skewMs

export interface Distance {
  readonly time: TimeLine
  readonly latencyMs: () => number
  /** How late a request may arrive that its sender no longer waits for. */
  readonly lateMs: () => number
  readonly faultOf: FaultOf
}

/**
 * The store at a distance: each call takes time both ways, may go wrong, and never ends for the
 * dead.
 */
export function distantStore(
  store: Store,
  by: Process,
  { time, latencyMs, lateMs, faultOf }: Distance,
): Store {
  const travel = async () => {
    await time.sleep(latencyMs())
    await survive(by, time)
  }
  const around = async <T>(act: () => Promise<T>): Promise<T> => {
    await travel()
    if (by.callsLeft-- <= 0) by.isDead = true
    await survive(by, time)
    try {
      return await act()
    } finally {
      await travel()
    }
  }
  // All beats in a tick, and between ticks the leases of those it judges.
  const noteLook = (call: string) => {
    if (call === 'leases.beats' || call === 'leases.read') by.lookedAtMs = time.nowMs()
  }
  const later = (act: () => void) => time.after(lateMs(), act)
  const faulty = faultyStore(store, faultOf, { skewMs: () => by.skewMs, later })
  return wrappedStore(faulty, {
    call(name, act) {
      noteLook(name)
      return around(act)
    },
    pages(name, read) {
      noteLook(name)
      return paged(read(), travel)
    },
  })
}

/** The dead wait for ever; the frozen until they thaw. */
export async function survive(by: Process, time: TimeLine): Promise<void> {
  if (by.isDead) await new Promise<never>(() => {})
  const restMs = by.stalledUntilMs - time.nowMs()
  if (restMs > 0) {
    await time.sleep(restMs)
    await survive(by, time)
  }
}

async function* paged<P>(pages: AsyncIterable<P>, travel: () => Promise<void>) {
  await travel()
  for await (const page of pages) {
    await travel()
    yield page
  }
}
