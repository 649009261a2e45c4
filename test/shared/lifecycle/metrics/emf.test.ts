import { expect, it } from 'vitest'
import { emfLine } from '../../../../shared/lifecycle/metrics/emf.ts'
import { metricNames } from '../../../../shared/lifecycle/metrics/names.ts'

const { tickMs, detectionLagMs, undelivered, ticks } = metricNames

it('a line has every metric with its unit, and none without a value', () => {
  const lags = Array.from({ length: 101 }, (_, at) => at)
  const values = { tickMs: 12, ticks: 1, detectionLagMs: lags, undelivered: [] }
  const line = JSON.parse(emfLine('test', values, 5))
  const [{ Metrics: metrics }] = line._aws.CloudWatchMetrics
  expect(metrics).toContainEqual({ Name: tickMs, Unit: 'Milliseconds' })
  expect(metrics).toContainEqual({ Name: ticks, Unit: 'None' })
  expect(metrics.map(({ Name }: { Name: string }) => Name)).not.toContain(undelivered)
  expect(line).toMatchObject({ Stage: 'test', [tickMs]: 12, [detectionLagMs]: lags.slice(1) })
  expect(line).not.toHaveProperty(undelivered)
})
