/**
 * What a monitor does after a tick beside judging: summaries, features, metrics. Each for itself:
 * one that fails is logged and tried again, and holds up no other.
 */
import { type ActionCounts, applyContext } from '../apply/context.ts'
import { features } from '../features.ts'
import { metricsAccumulator } from '../metrics/accumulator.ts'
import { minuteMetrics } from '../metrics/minute.ts'
import { recordActionCounts, recordTick } from '../metrics/tick-metrics.ts'
import type { MonitorSession } from '../session.ts'
import type { TickReport } from '../tick.ts'
import type { Chore } from './chore.ts'
import { heldNodesChore } from './held-nodes.ts'
import { ownGracesChore } from './own-graces.ts'

export interface Chores {
  afterTick(report: TickReport): Promise<void>
  /** Between ticks nothing is written but what was due. */
  afterRound(actionCounts: ActionCounts): void
  failedTick(): void
  /** Stores the last metrics, before another monitor takes over. */
  close(): Promise<void>
}

const METRICS_EVERY_MS = 15_000

export function openChores(session: MonitorSession): Chores {
  const { deps } = session
  const metrics = metricsAccumulator(deps.store)
  const minute = minuteMetrics(deps.emf, deps.settings.nodeMonitorGracePeriodMs)
  const chores = choresOf(session)
  const lastAtMs = new Map<Chore, number>()
  let storedAtMs = Number.NEGATIVE_INFINITY

  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      deps.log({ level: 'error', message: `could not ${what}; trying again later`, error })
    }
  }

  return {
    async afterTick(report) {
      const context = applyContext(session, report.state, report.nowMs)
      // What rests on the time waits until the clock can be trusted.
      for (const chore of report.world.visibility.kind === 'doubtful' ? [] : chores) {
        if (report.nowMs - (lastAtMs.get(chore) ?? 0) < chore.everyMs) continue
        lastAtMs.set(chore, report.nowMs)
        await attempt(chore.name, () => chore.work(context, report))
      }
      recordTick(metrics, report)
      recordActionCounts(metrics, context.actionCounts)
      minute.afterTick(report)
      minute.flush(report.nowMs, false)
      if (report.nowMs - storedAtMs < METRICS_EVERY_MS) return
      storedAtMs = report.nowMs
      await attempt('store the metrics', metrics.store)
    },
    afterRound(actionCounts) {
      recordActionCounts(metrics, actionCounts)
      minute.afterRound(actionCounts)
    },
    failedTick: () => metrics.add('leasehold_monitor_failed_ticks_total', 1),
    async close() {
      minute.flush(deps.clock(), true)
      await metrics.store()
    },
  }
}

function choresOf(session: MonitorSession): readonly Chore[] {
  const ofFeatures = features.map((feature) => feature.chore(session))
  const chores = [heldNodesChore(session), ...ofFeatures, ownGracesChore]
  return chores.filter((chore) => chore !== undefined)
}
