/**
 * Which pressure conditions hold? The kubelet's eviction manager without its evictions: a threshold
 * turns its condition on at once, and the condition goes off only when nothing was crossed for a
 * whole transition period.
 */
import {
  limitAmount,
  PRESSURE_OF,
  type Pressure,
  type Signal,
  type Threshold,
} from './thresholds.ts'

export const DEFAULT_TRANSITION_MS = 300_000

export interface Observation {
  readonly available: number
  readonly capacity: number
}

export type Observations = Readonly<Partial<Record<Signal, Observation>>>

export interface PressureState {
  /** Crossed now, with the time of the first sighting in a row. */
  readonly firstSeenMs: ReadonlyMap<Threshold, number>
  /** Crossed for longer than their grace: held until the minimum reclaim is free, too. */
  readonly met: readonly Threshold[]
  readonly lastSeenMs: ReadonlyMap<Pressure, number>
}

export interface Pressed {
  readonly state: PressureState
  readonly pressures: ReadonlySet<Pressure>
  /** Signals on which a kubelet would now evict. We only tell. */
  readonly evictionDue: readonly Signal[]
}

export const NO_PRESSURE: PressureState = {
  firstSeenMs: new Map(),
  met: [],
  lastSeenMs: new Map(),
}

export interface PressureRules {
  readonly thresholds: readonly Threshold[]
  readonly transitionMs: number
}

export function observe(
  state: PressureState,
  observations: Observations,
  rules: PressureRules,
  nowMs: number,
): Pressed {
  const crossed = rules.thresholds.filter(
    (threshold) =>
      isCrossed(threshold, observations, false) ||
      (state.met.includes(threshold) && isCrossed(threshold, observations, true)),
  )
  const firstSeenMs = new Map(crossed.map((each) => [each, state.firstSeenMs.get(each) ?? nowMs]))
  const lastSeenMs = new Map(state.lastSeenMs)
  for (const { signal } of crossed) lastSeenMs.set(PRESSURE_OF[signal], nowMs)

  const met = crossed.filter((each) => nowMs - (firstSeenMs.get(each) ?? nowMs) >= each.graceMs)
  const pressures = [...lastSeenMs].filter(([, seenMs]) => nowMs - seenMs < rules.transitionMs)
  return {
    state: { firstSeenMs, met, lastSeenMs },
    // A transition period of 0 must still show what is crossed at this moment.
    pressures: new Set([
      ...pressures.map(([name]) => name),
      ...crossed.map(({ signal }) => PRESSURE_OF[signal]),
    ]),
    evictionDue: [...new Set(met.map(({ signal }) => signal))],
  }
}

/** Equal is not crossed; what was not observed never is. */
function isCrossed(
  threshold: Threshold,
  observations: Observations,
  withReclaim: boolean,
): boolean {
  const seen = observations[threshold.signal]
  if (!seen) return false
  const reclaim =
    withReclaim && threshold.minReclaim ? limitAmount(threshold.minReclaim, seen.capacity) : 0
  return seen.available < limitAmount(threshold.limit, seen.capacity) + reclaim
}
