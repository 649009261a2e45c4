/**
 * Once a minute, the few metrics that alarms watch, as a log line that CloudWatch turns into
 * metrics.
 */
import { emfLine } from '../../../shared/lifecycle/metrics/emf.ts'
import { type ActionCounts, totalCount } from '../apply/context.ts'
import type { EmfSink } from '../deps.ts'
import type { TickReport } from '../tick.ts'
import { isFleetBlind } from './tick-metrics.ts'

interface MinuteMetrics {
  afterTick(report: TickReport): void
  afterRound(actionCounts: ActionCounts): void
  /** Writes what there is and begins anew, if a minute has passed or nothing more will come. */
  flush(nowMs: number, isLast: boolean): void
}

const EVERY_MS = 60_000

/** `graceMs` is the fleet's: a host that may be silent for longer than a minute owes no more. */
export function minuteMetrics(sink: EmfSink | undefined, graceMs: number): MinuteMetrics {
  let values = noValues()
  let sinceMs: number | undefined

  const add = (actionCounts: ActionCounts) => {
    values.outrun += totalCount(actionCounts.outrun)
    values.overruns += actionCounts.unfinished > 0 ? 1 : 0
    values.detectionLagMs.push(...actionCounts.markLagsMs)
  }
  return {
    afterTick(report) {
      sinceMs ??= report.nowMs
      values.ticks += 1
      values.tickMs.push(report.tookMs)
      values.poisoned += report.poisoned
      values.blind = isFleetBlind(report.state.fleet) ? 1 : 0
      values.blindByRefusals = isBlindByRefusals(report) ? 1 : 0
      values.beatShare = beatShare(report, graceMs)
      add(report.actionCounts)
    },
    afterRound: add,
    flush(nowMs, isLast) {
      if (sinceMs === undefined || (!isLast && nowMs - sinceMs < EVERY_MS)) return
      if (values.ticks > 0) sink?.write(emfLine(sink.stage, values, nowMs))
      values = noValues()
      sinceMs = nowMs
    },
  }
}

const noValues = () => ({
  ticks: 0,
  tickMs: [] as number[],
  overruns: 0,
  blind: 0,
  blindByRefusals: 0,
  beatShare: 1,
  detectionLagMs: [] as number[],
  outrun: 0,
  poisoned: 0,
})

const isBlindByRefusals = ({ world: { visibility } }: TickReport): boolean =>
  visibility.kind === 'blind' && visibility.onlyRefusals === true

/**
 * Of the nodes there are, how many renewed when they should have. Without nodes none is missing:
 * the alarm takes a missing metric for the worst.
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
