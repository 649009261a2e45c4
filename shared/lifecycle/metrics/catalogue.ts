/**
 * What `/metrics` tells: kube-controller-manager's names with their meanings, and a few of our own.
 * The monitor counts, one record keeps, the api prints. A feature's metrics are one line of the
 * list.
 */
import { garbageMetrics } from '../garbage/metrics.ts'

export const METRICS_RECORD = 'metrics'

export interface MetricsRecord {
  /**
   * Series (`name` or `name{label="value"}`) -> value. Counters never fall, whichever monitor
   * counts.
   */
  readonly counters: Readonly<Record<string, number>>
  readonly gauges: Readonly<Record<string, number>>
  readonly histograms: Readonly<Record<string, Histogram>>
}

export interface Histogram {
  /** One for each bound of its metric, not cumulative; the last one is what lies beyond. */
  readonly counts: readonly number[]
  readonly sum: number
}

export const noMetrics: MetricsRecord = { counters: {}, gauges: {}, histograms: {} }

interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Whose values a series names; metrics without one are printed from the start, as zero. */
  readonly label?: 'zone' | 'action' | 'reason'
  /** Upper bounds of a histogram's buckets, in seconds. */
  readonly bounds?: readonly number[]
}

const growing = (first: number, factor: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, at) => Number((first * factor ** at).toPrecision(6)))

const metrics = {
  node_collector_zone_health: {
    type: 'gauge',
    help: 'Share of the counted nodes of a zone that are ready, in percent.',
  },
  node_collector_zone_size: { type: 'gauge', help: 'Counted nodes of a zone.' },
  node_collector_unhealthy_nodes_in_zone: {
    type: 'gauge',
    help: 'Counted nodes of a zone that are not ready.',
  },
  node_collector_evictions_total: {
    type: 'counter',
    help: 'First NoExecute taints given in a zone.',
    label: 'zone',
  },
  node_collector_update_node_health_duration_seconds: {
    type: 'histogram',
    help: 'Time one node took in a tick.',
    bounds: growing(0.001, 4, 8),
  },
  node_collector_update_all_nodes_health_duration_seconds: {
    type: 'histogram',
    help: 'Time a whole tick took.',
    bounds: growing(0.01, 4, 8),
  },
  taint_eviction_controller_pod_deletions_total: {
    type: 'counter',
    help: 'Pods evicted by a NoExecute taint.',
  },
  taint_eviction_controller_pod_deletion_duration_seconds: {
    type: 'histogram',
    help: 'Time from a pod being due to its eviction being written.',
    bounds: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  },
  ...garbageMetrics,
  leasehold_monitor_ticks_total: { type: 'counter', help: 'Ticks completed.' },
  leasehold_monitor_failed_ticks_total: { type: 'counter', help: 'Ticks that broke off.' },
  leasehold_monitor_overruns_total: {
    type: 'counter',
    help: 'Ticks that ran out of time and left the rest to the next.',
  },
  leasehold_monitor_detection_lag_seconds: {
    type: 'histogram',
    help: 'Time from the end of a grace to the written Unknown.',
    bounds: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  leasehold_monitor_actions_total: {
    type: 'counter',
    help: 'Steps done, by kind.',
    label: 'action',
  },
  leasehold_monitor_outrun_total: {
    type: 'counter',
    help: 'Steps that another writer was faster at, by kind.',
    label: 'action',
  },
  leasehold_monitor_failed_total: {
    type: 'counter',
    help: 'Steps that failed and are tried again by the next tick, by kind.',
    label: 'action',
  },
  leasehold_monitor_poisoned_total: {
    type: 'counter',
    help: 'Records that could not be read and were left out.',
  },
  leasehold_monitor_blind: {
    type: 'gauge',
    help: '1 while the monitor doubts what it sees and judges no node.',
  },
  leasehold_nodes: { type: 'gauge', help: 'Nodes by what is known of them.' },
  leasehold_monitor_last_tick_age_seconds: {
    type: 'gauge',
    help: 'Time since a monitor last completed a tick and renewed its lease.',
  },
} as const satisfies Readonly<Record<string, Metric>>

type MetricName = keyof typeof metrics
type Names<Type> = { [N in MetricName]: (typeof metrics)[N]['type'] extends Type ? N : never }
export type CounterName = Names<'counter'>[MetricName]
export type GaugeName = Names<'gauge'>[MetricName]
export type HistogramName = Names<'histogram'>[MetricName]

export const boundsOf = (name: HistogramName): readonly number[] => metrics[name].bounds

export function seriesOf(name: MetricName, labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`)
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

// ---- the text format of Prometheus --------------------------------------------------------------

export function printMetrics(record: MetricsRecord): string {
  const lines: string[] = []
  const byName = Map.groupBy(
    [...Object.entries(record.counters), ...Object.entries(record.gauges)],
    ([series]) => series.split('{')[0]!,
  )
  for (const [name, { type, help, label }] of Object.entries<Metric>(metrics)) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    // An increase can be taken only of a series that was there before.
    const isZero = type === 'counter' && label === undefined
    const found = byName.get(name) ?? (isZero ? [[name, 0] as const] : [])
    for (const [series, value] of found) lines.push(`${series} ${value}`)
    if (type === 'histogram') {
      const histogram = record.histograms[name] ?? { counts: [], sum: 0 }
      lines.push(...histogramLines(name as HistogramName, histogram))
    }
  }
  return `${lines.join('\n')}\n`
}

function histogramLines(name: HistogramName, { counts, sum }: Histogram): readonly string[] {
  const bounds = [...boundsOf(name).map(String), '+Inf']
  let count = 0
  const buckets = bounds.map((bound, at) => {
    count += counts[at] ?? 0
    return `${name}_bucket{le="${bound}"} ${count}`
  })
  return [...buckets, `${name}_sum ${sum}`, `${name}_count ${count}`]
}
