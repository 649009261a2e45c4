/**
 * Once a minute, the few figures that alarms watch, as a log line that CloudWatch turns into
 * metrics.
 */
import { METRIC_NAMESPACE, metricNames } from '../../../shared/lifecycle/metric-names.ts'
import { type Tally, total } from '../apply/tally.ts'
import type { TickReport } from '../tick.ts'
import { isBlind } from './tell.ts'

export interface EmfSink {
  readonly stage: string
  readonly write: (line: string) => void
}

export interface Minute {
  afterTick(report: TickReport): void
  afterRound(tally: Tally): void
  /** Writes what there is and begins anew, if a minute has passed or nothing more will come. */
  flush(nowMs: number, isLast: boolean): void
}

const EVERY_MS = 60_000
const units = { tickMs: 'Milliseconds', detectionLagMs: 'Milliseconds' } as Record<string, string>
/** CloudWatch takes so many values of one metric in a line. */
const MOST_VALUES = 100

type Figures = { [Name in keyof typeof metricNames]?: number | number[] }

/** `graceMs` is the fleet's: a host that may be silent for longer than a minute owes no more. */
export function minute(sink: EmfSink | undefined, graceMs: number): Minute {
  let figures = noFigures()
  let sinceMs: number | undefined

  const add = (tally: Tally) => {
    figures.outrun += total(tally.outrun)
    figures.overruns += tally.unfinished > 0 ? 1 : 0
    figures.detectionLagMs.push(...tally.markLagsMs)
  }
  return {
    afterTick(report) {
      sinceMs ??= report.nowMs
      figures.ticks += 1
      figures.tickMs.push(report.tookMs)
      figures.poisoned += report.poisoned
      figures.blind = isBlind(report.books.fleet) ? 1 : 0
      figures.beatShare = beatShare(report, graceMs)
      add(report.tally)
    },
    afterRound: add,
    flush(nowMs, isLast) {
      if (sinceMs === undefined || (!isLast && nowMs - sinceMs < EVERY_MS)) return
      if (figures.ticks > 0) sink?.write(emfLine(sink.stage, figures, nowMs))
      figures = noFigures()
      sinceMs = nowMs
    },
  }
}

const noFigures = () => ({
  ticks: 0,
  tickMs: [] as number[],
  overruns: 0,
  blind: 0,
  beatShare: 1,
  detectionLagMs: [] as number[],
  outrun: 0,
  poisoned: 0,
})

/**
 * Of the nodes there are, how many beat when they should have. Where there are none, nobody is
 * missing: the alarm takes a metric that says nothing for the worst.
 */
function beatShare({ world, nowMs }: TickReport, graceMs: number): number {
  if (world.nodes.size === 0) return 1
  let beating = 0
  for (const { name, receivedAtMs = 0, ownGraceMs = graceMs } of world.beats.values()) {
    const owedWithinMs = Math.max(EVERY_MS, ownGraceMs)
    if (nowMs - receivedAtMs <= owedWithinMs && world.nodes.has(name)) beating++
  }
  return beating / world.nodes.size
}

function emfLine(stage: string, figures: Figures, nowMs: number): string {
  const entries = Object.entries(figures).filter(
    ([, value]) => !(Array.isArray(value) && value.length === 0),
  ) as [keyof typeof metricNames, number | number[]][]
  const values = entries.map(([name, value]) => [
    metricNames[name],
    Array.isArray(value) ? value.slice(-MOST_VALUES) : value,
  ])
  const Metrics = entries.map(([name]) => ({
    Name: metricNames[name],
    Unit: units[name] ?? 'None',
  }))
  const directive = { Namespace: METRIC_NAMESPACE, Dimensions: [['Stage']], Metrics }
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] },
    Stage: stage,
    ...Object.fromEntries(values),
  })
}
