/** A count that CloudWatch reads out of the log: the embedded metric format, one line of JSON. */
import { METRIC_NAMESPACE, metricNames } from '../../shared/lifecycle/metric-names.ts'

export function undeliveredMetric(stage: string, count: number, nowMs: number): string {
  const Metrics = [{ Name: metricNames.undelivered, Unit: 'Count' }]
  const CloudWatchMetrics = [{ Namespace: METRIC_NAMESPACE, Dimensions: [['Stage']], Metrics }]
  return JSON.stringify({
    _aws: { Timestamp: nowMs, CloudWatchMetrics },
    Stage: stage,
    [metricNames.undelivered]: count,
  })
}
