/**
 * Counts in this process what is not in the stored record yet. Storing adds it to what is stored
 * then, so counters never fall and nothing is counted twice, however many monitors there are.
 */
import {
  boundsOf,
  type CounterName,
  type GaugeName,
  type Histogram,
  type HistogramName,
  METRICS_RECORD,
  type MetricsRecord,
  noMetrics,
  seriesOf,
} from '../../../shared/lifecycle/metrics/catalogue.ts'
import type { Store, StoredRecord } from '../../../shared/store/ports.ts'

type Labels = Readonly<Record<string, string>>
export type Gauge = readonly [name: GaugeName, value: number, labels?: Labels]

export interface MetricsAccumulator {
  add(name: CounterName, by: number, labels?: Labels): void
  observe(name: HistogramName, seconds: number): void
  /** All gauges at once: those of zones that are gone go with them, and so do their counters. */
  gauges(values: readonly Gauge[]): void
  store(): Promise<void>
}

/** Another monitor may store at the same moment, twice at most. */
const TRIES = 3

export function metricsAccumulator(store: Store): MetricsAccumulator {
  let counters: Record<string, number> = {}
  let histograms: Record<string, Histogram> = {}
  let gauges: Record<string, number> = {}
  let stored: StoredRecord<MetricsRecord> | 'unread' | undefined = 'unread'

  const attempt = async (): Promise<boolean> => {
    if (stored === 'unread') stored = await store.records.get<MetricsRecord>(METRICS_RECORD)
    const value = added(stored?.value ?? noMetrics, { counters, gauges, histograms })
    const believed = stored && { believed: stored.version }
    // Read again unless the answer comes: a lost one leaves open whether it was committed.
    stored = 'unread'
    const step = { do: 'putRecord' as const, name: METRICS_RECORD, value, ...believed }
    const commit = await store.commit([step])
    if (commit.kind !== 'committed') return false
    stored = { name: METRICS_RECORD, version: commit.versions[0]!, value }
    counters = {}
    histograms = {}
    return true
  }

  return {
    add(name, by, labels) {
      const series = seriesOf(name, labels)
      counters[series] = (counters[series] ?? 0) + by
    },
    observe(name, seconds) {
      histograms[name] = sum(histograms[name] ?? NOTHING, one(name, seconds))
    },
    gauges(values) {
      const entries = values.map(([name, value, labels]) => [seriesOf(name, labels), value])
      gauges = Object.fromEntries(entries)
    },
    async store() {
      for (let tries = 0; tries < TRIES; tries += 1) if (await attempt()) return
    },
  }
}

const NOTHING: Histogram = { counts: [], sum: 0 }

function one(name: HistogramName, seconds: number): Histogram {
  const bounds = boundsOf(name)
  const found = bounds.findIndex((bound) => seconds <= bound)
  const at = found === -1 ? bounds.length : found
  return { counts: [...bounds, Infinity].map((_, i) => (i === at ? 1 : 0)), sum: seconds }
}

function added(base: MetricsRecord, more: MetricsRecord): MetricsRecord {
  const counters: Record<string, number> = {}
  for (const [series, value] of [base, more].flatMap((one) => Object.entries(one.counters))) {
    if (isShown(series, more.gauges)) counters[series] = (counters[series] ?? 0) + value
  }
  const histograms = { ...base.histograms }
  for (const [name, its] of Object.entries(more.histograms)) {
    histograms[name] = sum(histograms[name] ?? NOTHING, its)
  }
  return { counters, histograms, gauges: more.gauges }
}

/** A counter of a zone ends with its gauges: zones come and go, and one record holds all series. */
function isShown(series: string, gauges: MetricsRecord['gauges']): boolean {
  const labels = series.slice(series.indexOf('{'))
  return !labels.startsWith('{zone=') || `${SIZE_OF_ZONE}${labels}` in gauges
}

const SIZE_OF_ZONE: GaugeName = 'node_collector_zone_size'

const sum = (a: Histogram, b: Histogram): Histogram => ({
  counts: b.counts.map((count, at) => count + (a.counts[at] ?? 0)),
  sum: a.sum + b.sum,
})
