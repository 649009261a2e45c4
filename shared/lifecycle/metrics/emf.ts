/**
 * Metrics that CloudWatch reads out of a log line: the embedded metric format, one line of JSON.
 */
import { METRIC_NAMESPACE, metricNames } from './names.ts'

type MetricValues = { readonly [Name in keyof typeof metricNames]?: number | readonly number[] }

const units: { readonly [Name in keyof typeof metricNames]?: string } = {
  tickMs: 'Milliseconds',
  detectionLagMs: 'Milliseconds',
  undelivered: 'Count',
}
/** CloudWatch takes so many values of one metric in a line. */
const MOST_VALUES = 100

/** A metric with an empty list of values is left out. */
export function emfLine(stage: string, values: MetricValues, nowMs: number): string {
  const entries = (Object.entries(values) as [keyof typeof metricNames, number | number[]][])
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => ({
      Name: metricNames[name],
      Unit: units[name] ?? 'None',
      value: Array.isArray(value) ? value.slice(-MOST_VALUES) : value,
    }))
  const Metrics = entries.map(({ Name, Unit }) => ({ Name, Unit }))
  const directive = { Namespace: METRIC_NAMESPACE, Dimensions: [['Stage']], Metrics }
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics: [directive] },
    Stage: stage,
    ...Object.fromEntries(entries.map(({ Name, value }) => [Name, value])),
  })
}
