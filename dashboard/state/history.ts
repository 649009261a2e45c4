/** The last hour of the fleet, as the monitor sampled it, as areas of a chart. */
import { type ReportedFleet, resourceVersionMs } from './fleet-objects.ts'

export interface Sample {
  readonly atMs: number
  readonly ready: number
  readonly notReady: number
  readonly unknown: number
}

/** A line each: seconds since 1970, ready, notReady, unknown. What cannot be read is left out. */
export function samplesOf(lines: readonly string[]): readonly Sample[] {
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((numbers) => numbers.length >= 4 && numbers.every(Number.isFinite))
    .map(([seconds = 0, ready = 0, notReady = 0, unknown = 0]) => ({
      atMs: seconds * 1000,
      ready,
      notReady,
      unknown,
    }))
    .sort((a, b) => a.atMs - b.atMs)
}

/** The samples and the present counts: the last sample can be a minute old. */
export function samplesUntilNow(fleet: ReportedFleet): readonly Sample[] {
  const { history = [], ready = 0, notReady = 0, unknown = 0 } = fleet.status ?? {}
  const samples = samplesOf(history)
  const atMs = resourceVersionMs(fleet)
  if (samples.length === 0 || atMs === undefined) return samples
  return [...samples, { atMs, ready, notReady, unknown }]
}

const HOUR_MS = 3_600_000
/** A new install has a few samples, which must not fill the whole width. */
const LEAST_MS = 120_000

export function windowOf(samples: readonly Sample[], nowMs: number) {
  const firstMs = samples[0]?.atMs ?? nowMs
  return { fromMs: Math.min(nowMs - LEAST_MS, Math.max(nowMs - HOUR_MS, firstMs)), toMs: nowMs }
}

export interface Frame {
  readonly width: number
  readonly height: number
  readonly fromMs: number
  readonly toMs: number
}

/** An area between two counts, as the `d` of an SVG path. A sample holds until the next one. */
export function areaPath(
  samples: readonly Sample[],
  frame: Frame,
  between: (sample: Sample) => readonly [low: number, high: number],
): string {
  const most = Math.max(1, ...samples.map((sample) => sampleTotal(sample)))
  const x = (ms: number) => round(((ms - frame.fromMs) / (frame.toMs - frame.fromMs)) * frame.width)
  const y = (count: number) => round(frame.height * (1 - count / most))
  const steps = samples.map((sample, at) => {
    const endMs = samples[at + 1]?.atMs ?? frame.toMs
    const [low, high] = between(sample).map(y)
    return { left: x(Math.max(frame.fromMs, sample.atMs)), right: x(endMs), low, high }
  })
  const visible = steps.filter(({ left, right }) => right > left)
  if (visible.length === 0) return ''
  const over = visible.map(({ left, right, high }) => `${left} ${high}L${right} ${high}`)
  const back = visible.toReversed().map(({ left, right, low }) => `${right} ${low}L${left} ${low}`)
  return `M${over.join('L')}L${back.join('L')}Z`
}

export const sampleTotal = ({ ready, notReady, unknown }: Sample): number =>
  ready + notReady + unknown

const round = (number: number) => Math.round(number * 10) / 10
