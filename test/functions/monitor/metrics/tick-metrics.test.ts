import { describe, expect, it } from 'vitest'
import { recordActionCounts } from '../../../../functions/monitor/metrics/tick-metrics.ts'
import type { CounterName, MetricsRecord } from '../../../../shared/lifecycle/metrics/catalogue.ts'
import { METRICS_RECORD } from '../../../../shared/lifecycle/metrics/catalogue.ts'
import { nodeName } from '../../../builders/objects.ts'
import { SmallFleet } from '../small-fleet.ts'

async function figuresOf(fleet: SmallFleet): Promise<MetricsRecord> {
  await fleet.chores.close()
  return (await fleet.store.records.get<MetricsRecord>(METRICS_RECORD))!.value
}

describe('the figures of a fleet', () => {
  it('in which a host of four falls silent and its pod is evicted', async () => {
    const fleet = new SmallFleet({ settings: { nodeEvictionSettleMs: 0 } })
    await fleet.addNodes(4, ['a'])
    await fleet.addPod('web', nodeName(0), { tolerations: [] })
    await fleet.run(70_000, fleet.names.slice(1))
    const { counters, gauges, histograms } = await figuresOf(fleet)
    const zone = Object.keys(gauges).find((name) => name.startsWith('node_collector_zone_size'))
    const label = zone?.slice(zone.indexOf('{'))
    expect(counters).toMatchObject({
      leasehold_monitor_ticks_total: 14,
      leasehold_monitor_poisoned_total: 0,
      'leasehold_monitor_actions_total{action="markUnknown"}': 1,
      'leasehold_monitor_actions_total{action="taintNoExecute"}': 1,
      'leasehold_monitor_actions_total{action="evictPod"}': 1,
      [`node_collector_evictions_total${label}`]: 1,
      taint_eviction_controller_pod_deletions_total: 1,
    })
    expect(counters).not.toHaveProperty('leasehold_monitor_overruns_total')
    expect(gauges).toMatchObject({
      [`node_collector_zone_health${label}`]: 75,
      [`node_collector_zone_size${label}`]: 4,
      [`node_collector_unhealthy_nodes_in_zone${label}`]: 1,
      leasehold_monitor_blind: 0,
      'leasehold_nodes{state="ready"}': 3,
      'leasehold_nodes{state="notReady"}': 0,
      'leasehold_nodes{state="unknown"}': 1,
      'leasehold_nodes{state="neverReported"}': 0,
    })
    const total = (name: string) => histograms[name]?.counts.reduce((sum, count) => sum + count, 0)
    expect(total('node_collector_update_all_nodes_health_duration_seconds')).toBe(14)
    expect(total('node_collector_update_node_health_duration_seconds')).toBe(14)
    expect(total('leasehold_monitor_detection_lag_seconds')).toBe(1)
    expect(histograms.leasehold_monitor_detection_lag_seconds?.sum).toBe(5)
  })

  it('of nobody have no time for each node, and a blind one says so', async () => {
    const canary = async () => {
      throw new Error('no beat gets through')
    }
    const fleet = new SmallFleet({ deps: { canary } })
    await fleet.run(30_000)
    const { gauges, histograms } = await figuresOf(fleet)
    expect(gauges).toMatchObject({ leasehold_monitor_blind: 1 })
    expect(histograms).not.toHaveProperty('node_collector_update_node_health_duration_seconds')
  })
})

it('what was outrun, failed, late or left undone is counted under its name', () => {
  const added: unknown[] = []
  const observed: unknown[] = []
  const metrics = {
    add: (name: CounterName, by: number, labels?: object) =>
      void added.push([name, by, ...(labels ? [labels] : [])]),
    observe: (name: string, seconds: number) => void observed.push([name, seconds]),
    gauges() {},
    store: async () => {},
  }
  recordActionCounts(metrics, {
    done: new Map([['evictPod', 2]]),
    outrun: new Map([['markUnknown', 3]]),
    failed: new Map([['updateNode', 4]]),
    unfinished: 5,
    counters: [{ name: 'node_collector_evictions_total', labels: { zone: 'z' } }],
    evictLagsMs: [1_500],
    markLagsMs: [250],
  })
  expect(added).toEqual([
    ['leasehold_monitor_actions_total', 2, { action: 'evictPod' }],
    ['leasehold_monitor_outrun_total', 3, { action: 'markUnknown' }],
    ['leasehold_monitor_failed_total', 4, { action: 'updateNode' }],
    ['leasehold_monitor_overruns_total', 1],
    ['node_collector_evictions_total', 1, { zone: 'z' }],
    ['taint_eviction_controller_pod_deletions_total', 2],
  ])
  expect(observed).toEqual([
    ['taint_eviction_controller_pod_deletion_duration_seconds', 1.5],
    ['leasehold_monitor_detection_lag_seconds', 0.25],
  ])
})
