/**
 * How much time has really been observed, and can the monitor trust what it sees now?
 *
 * While the monitor was blind, or an operator had paused evictions, a host's silence does not
 * count. Such intervals are kept as a short list, and every clock in this folder is read through
 * it.
 */
import { MAX_CLOCK_SKEW_MS } from '../clock-bounds.ts'
import type { RefusedBeats } from '../record-names.ts'

export interface Interval {
  readonly fromMs: number
  /** Absent while it lasts. */
  readonly untilMs?: number
  readonly why: string
}

/**
 * Beyond it the two closest intervals are merged, so that the list stays small enough to be read
 * each tick.
 */
export const MAX_INTERVALS = 32

/** Milliseconds of [fromMs, toMs] that were observed. */
export function observedMs(intervals: readonly Interval[], fromMs: number, toMs: number): number {
  let observedTotalMs = Math.max(0, toMs - fromMs)
  for (const { fromMs: start, untilMs = toMs } of intervals) {
    observedTotalMs -= Math.max(0, Math.min(untilMs, toMs) - Math.max(start, fromMs))
  }
  return observedTotalMs
}

/** The rest of it: how long no clock ran. */
export const pausedMs = (intervals: readonly Interval[], fromMs: number, toMs: number): number =>
  Math.max(0, toMs - fromMs) - observedMs(intervals, fromMs, toMs)

/**
 * The instant at which `durationMs` have been observed since `fromMs`; Infinity while an interval
 * is open.
 */
export function observedDeadlineMs(
  intervals: readonly Interval[],
  fromMs: number,
  durationMs: number,
): number {
  let deadlineMs = fromMs + durationMs
  for (const { fromMs: start, untilMs = Number.POSITIVE_INFINITY } of intervals) {
    if (start > deadlineMs) break
    deadlineMs += Math.max(0, untilMs - Math.max(start, fromMs))
  }
  return deadlineMs
}

export function openInterval(intervals: readonly Interval[]): Interval | undefined {
  const last = intervals.at(-1)
  return last && last.untilMs === undefined ? last : undefined
}

/**
 * Starts one unless one is open. It never reaches back into the one before: they must not overlap.
 */
export function startInterval(
  intervals: readonly Interval[],
  fromMs: number,
  why: string,
): readonly Interval[] {
  if (openInterval(intervals)) return intervals
  const startMs = Math.max(fromMs, intervals.at(-1)?.untilMs ?? fromMs)
  return [...intervals, { fromMs: startMs, why }]
}

export function endInterval(intervals: readonly Interval[], untilMs: number): readonly Interval[] {
  const open = openInterval(intervals)
  if (!open) return intervals
  const closed = { ...open, untilMs: Math.max(open.fromMs, untilMs) }
  return compact([...intervals.slice(0, -1), closed])
}

/**
 * Merging counts the gap between two as not observed: rather wait too long than evict too early.
 */
function compact(intervals: readonly Interval[]): readonly Interval[] {
  if (intervals.length <= MAX_INTERVALS) return intervals
  let closest = 1
  for (let i = 2; i < intervals.length; i++) {
    if (gapMs(intervals, i) < gapMs(intervals, closest)) closest = i
  }
  const merged = { ...intervals[closest]!, fromMs: intervals[closest - 1]!.fromMs }
  return [...intervals.slice(0, closest - 1), merged, ...intervals.slice(closest + 1)]
}

function gapMs(intervals: readonly Interval[], at: number): number {
  return intervals[at]!.fromMs - intervals[at - 1]!.untilMs!
}

/** Several lists as one without overlaps, so that no moment is subtracted twice. */
export function mergeIntervals(...lists: readonly (readonly Interval[])[]): readonly Interval[] {
  const filled = lists.filter((list) => list.length > 0)
  if (filled.length <= 1) return filled[0] ?? []
  const merged: Interval[] = []
  for (const next of filled.flat().sort((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1)
    if (!last || (last.untilMs ?? Number.POSITIVE_INFINITY) < next.fromMs) merged.push(next)
    else merged[merged.length - 1] = joined(last, next)
  }
  return merged
}

function joined(a: Interval, b: Interval): Interval {
  const { fromMs, why } = a
  if (a.untilMs === undefined || b.untilMs === undefined) return { fromMs, why }
  return { fromMs, why, untilMs: Math.max(a.untilMs, b.untilMs) }
}

// ---- can the monitor judge right now? -----------------------------------------------------------

/** What speaks against the monitor's own view. */
export interface HealthSignals {
  /** When the canary's renewal began to fail, absent while it succeeds. */
  readonly canaryFailingSinceMs?: number
  /** For each node of which the api refused a beat for reasons of its own: when it last did. */
  readonly refusedAtMs?: Iterable<number>
  /** How many nodes' beats arrived within `BEATING_MS`. */
  readonly beatingNodes?: number
  /** There was no service at all. */
  readonly downtime?: { readonly fromMs: number; readonly untilMs: number }
  /** Our clock minus DynamoDB's. */
  readonly skewMs?: number
}

export type Visibility =
  | { readonly kind: 'clear' }
  | {
      readonly kind: 'blind'
      readonly sinceMs: number
      readonly why: string
      /** The canary's beat gets through: only what the api refused speaks against judging. */
      readonly onlyRefusals?: true
    }
  /** The clock itself is in doubt: nothing is judged, and no time it tells is written down. */
  | { readonly kind: 'doubtful'; readonly why: string }

/** A node that beat within this time counts towards the share below. */
export const BEATING_MS = 60_000
/**
 * Judgement stops when so many nodes, and so large a share of those that beat, were refused: what
 * befalls fewer is no reason to let a dead host pass for alive, and one caller, who is one node,
 * cannot bring it about.
 */
const BLIND_NODES = 3
const BLIND_SHARE = 0.05

export function judgeVisibility(
  healthSignals: HealthSignals,
  graceMs: number,
  nowMs: number,
): Visibility {
  const { canaryFailingSinceMs, downtime, skewMs = 0 } = healthSignals
  if (Math.abs(skewMs) > MAX_CLOCK_SKEW_MS) {
    return { kind: 'doubtful', why: `the clock is off by ${skewMs} ms` }
  }
  // For a grace after it: hosts must get another chance.
  const downMs = downtime && nowMs <= downtime.untilMs + graceMs ? downtime.fromMs : undefined
  const refusedMs = refusedSinceMs(healthSignals, graceMs, nowMs)
  const since = [canaryFailingSinceMs, downMs, refusedMs].filter((ms) => ms !== undefined)
  if (since.length === 0) return { kind: 'clear' }
  const why =
    refusedMs !== undefined
      ? 'the api had to refuse beats'
      : downMs !== undefined
        ? 'the service was down'
        : 'the canary beat fails'
  const onlyRefusals = since.length === 1 && refusedMs !== undefined
  const sinceMs = Math.min(...since, nowMs)
  return { kind: 'blind', sinceMs, why, ...(onlyRefusals && { onlyRefusals }) }
}

/**
 * When were so many nodes refused that none can be judged? A refusal counts until it is a grace old:
 * its host must get another chance. Undefined while there are too few.
 */
function refusedSinceMs(
  { refusedAtMs = [], beatingNodes = 0 }: HealthSignals,
  graceMs: number,
  nowMs: number,
): number | undefined {
  const youngMs = [...refusedAtMs].filter((atMs) => nowMs <= atMs + graceMs)
  const enough = Math.max(BLIND_NODES, Math.ceil(beatingNodes * BLIND_SHARE))
  return youngMs.length < enough ? undefined : youngMs.sort((a, b) => a - b)[enough - 1]
}

// ---- whose beats did the api refuse for reasons of its own? -------------------------------------

/** Node name -> when its last beat was refused. */
export type Refusals = ReadonlyMap<string, number>

/**
 * From the records of all processes. What a token of an earlier Node of the name met says nothing
 * about the Node there is now, and a process with a fast clock must not reach into the future.
 */
export function latestRefusals(
  records: readonly RefusedBeats[],
  uidOf: (name: string) => string | undefined,
  nowMs: number,
): Refusals {
  const latest = new Map<string, number>()
  for (const { nodes } of records) {
    for (const [name, { atMs, uid }] of Object.entries(nodes)) {
      const now = uidOf(name)
      if (now === undefined || (uid !== undefined && uid !== now)) continue
      latest.set(name, Math.max(Math.min(atMs, nowMs), latest.get(name) ?? 0))
    }
  }
  return latest
}
