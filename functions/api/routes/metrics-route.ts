/** `/metrics` in the text format of Prometheus, from the record the monitor keeps. */
import { methodNotAllowed } from '../../../shared/kube/status-error.ts'
import {
  METRICS_RECORD,
  type MetricsRecord,
  noMetrics,
  printMetrics,
} from '../../../shared/lifecycle/metrics/catalogue.ts'
import { monitorLeaseKey } from '../../../shared/lifecycle/record-names.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { ExtraRoute } from '../deps.ts'

interface MetricsDeps {
  readonly store: Pick<Store, 'records' | 'leases'>
  readonly clock: () => number
}

export function metricsRoute({ store, clock }: MetricsDeps): ExtraRoute {
  return {
    path: '/metrics',
    access: 'guarded',
    async handle(request) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed()
      const [record, lease] = await Promise.all([
        store.records.get<MetricsRecord>(METRICS_RECORD),
        store.leases.get(monitorLeaseKey),
      ])
      const age = lease?.receivedAtMs !== undefined && {
        leasehold_monitor_last_tick_age_seconds: (clock() - lease.receivedAtMs) / 1_000,
      }
      const metrics = record?.value ?? noMetrics
      const text = printMetrics({ ...metrics, gauges: { ...metrics.gauges, ...age } })
      return new Response(text, { headers: { 'content-type': CONTENT_TYPE } })
    },
  }
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
