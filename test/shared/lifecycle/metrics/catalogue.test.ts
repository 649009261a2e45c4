import { expect, it } from 'vitest'
import {
  boundsOf,
  noMetrics,
  printMetrics,
} from '../../../../shared/lifecycle/metrics/catalogue.ts'

it('the buckets of a tick grow fourfold, from ten milliseconds', () => {
  expect(boundsOf('node_collector_update_all_nodes_health_duration_seconds')).toEqual([
    0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84,
  ])
})

it('only histograms are printed with buckets', () => {
  const histograms = { leasehold_nodes: { counts: [1], sum: 1 } }
  expect(printMetrics({ ...noMetrics, histograms })).not.toContain('leasehold_nodes_bucket')
})
