import { describe, expect, it } from 'vitest'
import { metricsAccumulator } from '../../../../functions/monitor/metrics/accumulator.ts'
import {
  METRICS_RECORD,
  type MetricsRecord,
  noMetrics,
  printMetrics,
} from '../../../../shared/lifecycle/metrics/catalogue.ts'
import { memoryStore } from '../../../../shared/store/memory/store.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet, T0 } from '../small-fleet.ts'

const stored = async (store: ReturnType<typeof memoryStore>) =>
  (await store.records.get<MetricsRecord>(METRICS_RECORD))?.value ?? noMetrics

describe('figures', () => {
  it('of several monitors add up, and never fall', async () => {
    const store = memoryStore({ clock: () => T0 })
    const [one, other] = [metricsAccumulator(store), metricsAccumulator(store)]
    one.add('leasehold_monitor_ticks_total', 2)
    await one.store()
    other.add('leasehold_monitor_ticks_total', 3)
    await other.store()
    one.add('leasehold_monitor_ticks_total', 1)
    one.observe('leasehold_monitor_detection_lag_seconds', 0.2)
    await Promise.all([one.store(), other.store()])
    const { counters, histograms } = await stored(store)
    expect(counters.leasehold_monitor_ticks_total).toBe(6)
    expect(histograms.leasehold_monitor_detection_lag_seconds?.sum).toBe(0.2)
  })

  it('are printed as Prometheus reads them', async () => {
    const store = memoryStore({ clock: () => T0 })
    const figures = metricsAccumulator(store)
    figures.add('leasehold_monitor_actions_total', 2, { action: 'a "b"' })
    figures.observe('leasehold_monitor_detection_lag_seconds', 0.2)
    figures.observe('leasehold_monitor_detection_lag_seconds', 99)
    figures.gauges([['leasehold_nodes', 3, { state: 'ready' }]])
    await figures.store()
    const lines = printMetrics(await stored(store)).split('\n')
    expect(lines).toContain('# TYPE node_collector_evictions_total counter')
    expect(lines).toContain('leasehold_monitor_actions_total{action="a \\"b\\""} 2')
    expect(lines).toContain('leasehold_nodes{state="ready"} 3')
    expect(lines.filter((line) => line.startsWith('leasehold_monitor_detection_lag'))).toEqual([
      'leasehold_monitor_detection_lag_seconds_bucket{le="0.05"} 0',
      'leasehold_monitor_detection_lag_seconds_bucket{le="0.1"} 0',
      'leasehold_monitor_detection_lag_seconds_bucket{le="0.25"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="0.5"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="1"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="2.5"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="5"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="10"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="30"} 1',
      'leasehold_monitor_detection_lag_seconds_bucket{le="+Inf"} 2',
      'leasehold_monitor_detection_lag_seconds_sum 99.2',
      'leasehold_monitor_detection_lag_seconds_count 2',
    ])
  })

  it('tell what ticks saw and did, across a restart', async () => {
    const fleet = new SmallFleet()
    await fleet.addNodes(4, ['a', 'b'])
    const alive = fleet.names.slice(1)
    await fleet.run(60_000, alive)
    await fleet.chores.close()
    fleet.restart()
    await fleet.run(60_000, alive)
    await fleet.chores.close()
    const { counters, gauges } = await stored(fleet.store)
    expect(counters.leasehold_monitor_ticks_total).toBe(24)
    expect(counters['leasehold_monitor_actions_total{action="markUnknown"}']).toBe(1)
    expect(counters['node_collector_evictions_total{zone="a"}']).toBe(1)
    expect(counters['node_collector_evictions_total{zone="b"}']).toBe(0)
    expect(gauges['node_collector_zone_health{zone="a"}']).toBe(50)
    expect(await fleet.evicting()).toEqual([nodeName(0)])
  })
})
