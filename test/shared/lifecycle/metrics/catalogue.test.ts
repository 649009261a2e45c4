import { expect, it } from 'vitest'
import {
  boundsOf,
  noMetrics,
  printMetrics,
} from '../../../../shared/lifecycle/metrics/catalogue.ts'

it('is described metric by metric in docs/monitoring/metrics.md', async () => {
  const described = printMetrics(noMetrics).matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)
  const rows = [...described].map(([, name, help, type]) => `| \`${name}\` | ${type} | ${help} |`)
  const page = [
    '# What /metrics tells',
    '',
    'Written by a test from the catalogue of metrics. Zones are labelled `zone`, kinds of steps `action`.',
    '',
    '| metric | type | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n')
  await expect(page).toMatchFileSnapshot('../../../../docs/monitoring/metrics.md')
})

it('prints what has no label from the start, so that its first increase is seen', () => {
  const lines = printMetrics(noMetrics).split('\n')
  expect(lines).toContain('leasehold_monitor_overruns_total 0')
  expect(lines).toContain('leasehold_monitor_detection_lag_seconds_bucket{le="+Inf"} 0')
  expect(lines).toContain('leasehold_monitor_detection_lag_seconds_count 0')
  expect(lines.filter((line) => line.startsWith('leasehold_monitor_actions_total'))).toEqual([])
})

it('the buckets of a tick grow fourfold, from ten milliseconds', () => {
  expect(boundsOf('node_collector_update_all_nodes_health_duration_seconds')).toEqual([
    0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84,
  ])
})

it('only histograms are printed with buckets', () => {
  const histograms = { leasehold_nodes: { counts: [1], sum: 1 } }
  expect(printMetrics({ ...noMetrics, histograms })).not.toContain('leasehold_nodes_bucket')
})
