/** What a tick and the rounds after it have to say, in the words of the catalogue. */
import { openInterval } from '../../../shared/lifecycle/blindness.ts'
import type { CounterName } from '../../../shared/lifecycle/metric-catalogue.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'
import type { Tally } from '../apply/tally.ts'
import { fleetIn } from '../read/records.ts'
import type { TickReport } from '../tick.ts'
import type { Counting, Gauge } from './counting.ts'

export function tellTick(counting: Counting, report: TickReport): void {
  const { tookMs, world, poisoned, decision } = report
  counting.add('leasehold_monitor_ticks_total', 1)
  counting.add('leasehold_monitor_poisoned_total', poisoned)
  counting.observe('node_collector_update_all_nodes_health_duration_seconds', tookMs / 1_000)
  if (world.nodes.size > 0) {
    const eachSeconds = tookMs / 1_000 / world.nodes.size
    counting.observe('node_collector_update_node_health_duration_seconds', eachSeconds)
  }
  // A zone's counter is there from its first tick on, so that a rate can be taken of it.
  for (const { key } of decision.zones) {
    counting.add('node_collector_evictions_total', 0, { zone: key })
  }
  counting.gauges(gaugesOf(report))
  tellTally(counting, report.tally)
}

/** What a tick and a round of deadlines have in common. */
export function tellTally(counting: Counting, tally: Tally): void {
  const byAction = (name: CounterName, counts: ReadonlyMap<string, number>) => {
    for (const [action, by] of counts) counting.add(name, by, { action })
  }
  byAction('leasehold_monitor_actions_total', tally.done)
  byAction('leasehold_monitor_outrun_total', tally.outrun)
  byAction('leasehold_monitor_failed_total', tally.failed)
  if (tally.unfinished > 0) counting.add('leasehold_monitor_overruns_total', 1)
  for (const [zone, by] of tally.tainted) {
    counting.add('node_collector_evictions_total', by, { zone })
  }
  counting.add('taint_eviction_controller_pod_deletions_total', tally.done.get('evictPod') ?? 0)
  for (const ms of tally.evictLagsMs) {
    counting.observe('taint_eviction_controller_pod_deletion_duration_seconds', ms / 1_000)
  }
  for (const ms of tally.markLagsMs) {
    counting.observe('leasehold_monitor_detection_lag_seconds', ms / 1_000)
  }
  byPod(counting, 'pod_gc_collector_force_delete_pods_total', tally.collected)
  byPod(counting, 'pod_gc_collector_force_delete_pod_errors_total', tally.collectErrors)
}

/** Counted under `namespace reason`. */
function byPod(counting: Counting, name: CounterName, counts: ReadonlyMap<string, number>): void {
  for (const [pair, by] of counts) {
    const [namespace = '', reason = ''] = pair.split(' ')
    counting.add(name, by, { namespace, reason })
  }
}

function gaugesOf({ decision, books }: TickReport): readonly Gauge[] {
  const { ready, notReady, unknown, missing } = decision.counts
  const zones = decision.zones.flatMap(({ key: zone, record }): Gauge[] => {
    const { size, notReady: ill } = record
    const health = size === 0 ? 100 : (100 * (size - ill)) / size
    return [
      ['node_collector_zone_health', health, { zone }],
      ['node_collector_zone_size', size, { zone }],
      ['node_collector_unhealthy_nodes_in_zone', ill, { zone }],
    ]
  })
  return [
    ...zones,
    ['leasehold_monitor_blind', isBlind(books.fleet) ? 1 : 0],
    ['leasehold_nodes', ready, { state: 'ready' }],
    ['leasehold_nodes', notReady, { state: 'notReady' }],
    ['leasehold_nodes', unknown, { state: 'unknown' }],
    ['leasehold_nodes', missing, { state: 'neverReported' }],
  ]
}

export const isBlind = (fleet: StoredObject | undefined): boolean =>
  fleet !== undefined && openInterval(fleetIn(fleet).blind) !== undefined
