/** What a tick and the deadline rounds after it did, under the names of the metrics catalogue. */
import { openInterval } from '../../../shared/lifecycle/liveness/visibility.ts'
import type { CounterName } from '../../../shared/lifecycle/metrics/catalogue.ts'
import { nameOfZone } from '../../../shared/lifecycle/zones/zone-state.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'
import type { ActionCounts } from '../apply/context.ts'
import { fleetRecordIn } from '../stored-state/stored-state.ts'
import type { TickReport } from '../tick.ts'
import type { Gauge, MetricsAccumulator } from './accumulator.ts'

export function recordTick(metrics: MetricsAccumulator, report: TickReport): void {
  const { tookMs, world, poisoned } = report
  metrics.add('leasehold_monitor_ticks_total', 1)
  metrics.add('leasehold_monitor_poisoned_total', poisoned)
  metrics.observe('node_collector_update_all_nodes_health_duration_seconds', tookMs / 1_000)
  if (world.nodes.size > 0) {
    const eachSeconds = tookMs / 1_000 / world.nodes.size
    metrics.observe('node_collector_update_node_health_duration_seconds', eachSeconds)
  }
  // A zone's counter is there from its first tick on, so that a rate can be taken of it.
  for (const { key } of zonesShown(report)) {
    metrics.add('node_collector_evictions_total', 0, { zone: nameOfZone(key) })
  }
  metrics.gauges(gaugesOf(report))
  recordActionCounts(metrics, report.actionCounts)
}

/** What a tick and a round of deadlines have in common. */
export function recordActionCounts(metrics: MetricsAccumulator, actionCounts: ActionCounts): void {
  const { done, outrun, failed, unfinished, counters, evictLagsMs, markLagsMs } = actionCounts
  const byAction = (name: CounterName, counts: ReadonlyMap<string, number>) => {
    for (const [action, by] of counts) metrics.add(name, by, { action })
  }
  byAction('leasehold_monitor_actions_total', done)
  byAction('leasehold_monitor_outrun_total', outrun)
  byAction('leasehold_monitor_failed_total', failed)
  if (unfinished > 0) metrics.add('leasehold_monitor_overruns_total', 1)
  for (const { name, labels } of counters) metrics.add(name, 1, labels)
  metrics.add('taint_eviction_controller_pod_deletions_total', done.get('evictPod') ?? 0)
  for (const ms of evictLagsMs) {
    metrics.observe('taint_eviction_controller_pod_deletion_duration_seconds', ms / 1_000)
  }
  for (const ms of markLagsMs) {
    metrics.observe('leasehold_monitor_detection_lag_seconds', ms / 1_000)
  }
}

/** All series are one item of 400 KB, and a scraper keeps each of them for weeks. */
const MAX_ZONES_SHOWN = 200

/** The largest, so that hosts with a zone each cannot push out those of others. */
const zonesShown = ({ decision: { zones } }: TickReport): TickReport['decision']['zones'] =>
  zones.length <= MAX_ZONES_SHOWN
    ? zones
    : zones.toSorted((a, b) => b.record.size - a.record.size).slice(0, MAX_ZONES_SHOWN)

function gaugesOf(report: TickReport): readonly Gauge[] {
  const { decision, state } = report
  const { ready, notReady, unknown, missing } = decision.counts
  const zones = zonesShown(report).flatMap(({ key, record }): Gauge[] => {
    const { size, notReady: ill } = record
    const zone = nameOfZone(key)
    const health = size === 0 ? 100 : (100 * (size - ill)) / size
    return [
      ['node_collector_zone_health', health, { zone }],
      ['node_collector_zone_size', size, { zone }],
      ['node_collector_unhealthy_nodes_in_zone', ill, { zone }],
    ]
  })
  return [
    ...zones,
    ['leasehold_monitor_blind', isFleetBlind(state.fleet) ? 1 : 0],
    ['leasehold_nodes', ready, { state: 'ready' }],
    ['leasehold_nodes', notReady, { state: 'notReady' }],
    ['leasehold_nodes', unknown, { state: 'unknown' }],
    ['leasehold_nodes', missing, { state: 'neverReported' }],
  ]
}

export const isFleetBlind = (fleet: StoredObject | undefined): boolean =>
  fleet !== undefined && openInterval(fleetRecordIn(fleet).blind) !== undefined
