/**
 * Which pressure conditions hold? The kubelet's eviction manager without its evictions: a threshold
 * turns its condition on at once, and the condition goes off only when nothing was crossed for a
 * whole transition period.
 */
import {
  CONDITION_OF_SIGNAL,
  type Pressure,
  type Signal,
  type Threshold,
  thresholdAmount,
} from './eviction-thresholds.ts'

export const DEFAULT_TRANSITION_MS = 300_000

export interface Observation {
  readonly available: number
  readonly capacity: number
}

export type Observations = Readonly<Partial<Record<Signal, Observation>>>

interface PressureState {
  /** Crossed now, and since when without a break. */
  readonly firstSeenMs: ReadonlyMap<Threshold, number>
  /** Crossed for longer than their grace: kept until the minimum reclaim is available, too. */
  readonly met: readonly Threshold[]
  readonly lastSeenMs: ReadonlyMap<Pressure, number>
}

interface ObservedPressure {
  readonly state: PressureState
  readonly pressures: ReadonlySet<Pressure>
  /** Signals on which a kubelet would now evict. The agent evicts no pods. */
  readonly evictionDue: readonly Signal[]
}

export const NO_PRESSURE: PressureState = {
  firstSeenMs: new Map(),
  met: [],
  lastSeenMs: new Map(),
}

interface PressureRules {
  readonly thresholds: readonly Threshold[]
  readonly transitionMs: number
}

export function observePressure(
  state: PressureState,
  observations: Observations,
  rules: PressureRules,
  nowMs: number,
): ObservedPressure {
  const crossed = rules.thresholds.filter(
    (threshold) =>
      isCrossed(threshold, observations, false) ||
      (state.met.includes(threshold) && isCrossed(threshold, observations, true)),
  )
  const firstSeenMs = new Map(crossed.map((each) => [each, state.firstSeenMs.get(each) ?? nowMs]))
  const lastSeenMs = new Map(state.lastSeenMs)
  for (const { signal } of crossed) lastSeenMs.set(CONDITION_OF_SIGNAL[signal], nowMs)

  const met = crossed.filter((each) => nowMs - (firstSeenMs.get(each) ?? nowMs) >= each.graceMs)
  const pressures = [...lastSeenMs].filter(([, seenMs]) => nowMs - seenMs < rules.transitionMs)
  return {
    state: { firstSeenMs, met, lastSeenMs },
    // A transition period of 0 must still show what is crossed at this moment.
    pressures: new Set([
      ...pressures.map(([name]) => name),
      ...crossed.map(({ signal }) => CONDITION_OF_SIGNAL[signal]),
    ]),
    evictionDue: [...new Set(met.map(({ signal }) => signal))],
  }
}

/** Equal is not crossed; a signal that was not observed never is. */
function isCrossed(
  threshold: Threshold,
  observations: Observations,
  withReclaim: boolean,
): boolean {
  const seen = observations[threshold.signal]
  if (!seen) return false
  const reclaim =
    withReclaim && threshold.minReclaim ? thresholdAmount(threshold.minReclaim, seen.capacity) : 0
  return seen.available < thresholdAmount(threshold.limit, seen.capacity) + reclaim
}
