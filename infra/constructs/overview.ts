/** The CloudWatch dashboard to open after an alarm: the fleet, the monitor, the api between them. */
import { AlarmStatusWidget, Dashboard, GraphWidget, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Construct } from 'constructs'
import { metricNames } from '../../shared/lifecycle/metrics/names.ts'
import type { Alarms } from './alarms.ts'
import type { ApiService } from './api.ts'
import type { MonitorService } from './monitor.ts'
import type { Tables } from './tables.ts'

const WIDTH = 12

interface OverviewProps {
  readonly stage: string
  readonly alarms: Alarms
  readonly api: ApiService
  readonly monitor: MonitorService
  readonly tables: Tables
}

export class Overview extends Construct {
  constructor(scope: Construct, id: string, props: OverviewProps) {
    super(scope, id)
    const { stage, api, monitor, tables } = props
    const graph = (title: string, left: Metric[], right: Metric[] = []) =>
      new GraphWidget({ title, left, right, width: WIDTH })
    const own = (metricName: string, statistic: string) => monitor.metric(metricName, statistic)
    new Dashboard(this, 'Dashboard', {
      dashboardName: `leasehold-${stage}`,
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...props.alarms.alarms], width: 24 })],
        [
          graph('Beats arrived over beats owed', [own(metricNames.beatShare, 'Average')]),
          graph('Deadline to Unknown (ms)', [own(metricNames.detectionLagMs, 'p99')]),
        ],
        [
          graph('Ticks', [own(metricNames.ticks, 'Sum')], [own(metricNames.tickMs, 'p99')]),
          graph('Blind, overruns, outrun', [
            own(metricNames.blind, 'Maximum'),
            own(metricNames.overruns, 'Sum'),
            own(metricNames.outrun, 'Sum'),
          ]),
        ],
        [
          graph(
            'Requests',
            [api.service.function.metricInvocations()],
            [api.service.function.metricDuration({ statistic: 'p99' })],
          ),
          graph('Write units', [
            tables.leases.metricConsumedWriteCapacityUnits(),
            tables.objects.metricConsumedWriteCapacityUnits(),
          ]),
        ],
      ],
    })
  }
}
