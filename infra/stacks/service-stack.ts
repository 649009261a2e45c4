/** What can be thrown away and deployed anew: the functions, the bus, the alarms. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { environmentName } from '../../shared/lifecycle/settings.ts'
import { Alarms } from '../constructs/alarms.ts'
import { Api } from '../constructs/api.ts'
import { Bus } from '../constructs/bus.ts'
import type { KeyGenerations } from '../constructs/keys.ts'
import { Monitor } from '../constructs/monitor.ts'
import { Notifier } from '../constructs/notifier.ts'
import { Overview } from '../constructs/overview.ts'
import { RestoredTables, tablePrefix } from '../constructs/tables.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { DataStack } from './data-stack.ts'

export interface ServiceStackProps extends StackProps {
  readonly settings: DeploymentSettings
  readonly data: DataStack
}

export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const { settings, data } = props
    const { keys } = data
    const tables = settings.restoredTables
      ? new RestoredTables(this, 'Tables', { settings })
      : data.tables
    const environment = {
      LEASEHOLD_INGRESS: settings.ingress,
      LEASEHOLD_TABLE_PREFIX: tablePrefix(settings),
      LEASEHOLD_NODE_KEY_ID: idsOf(keys.ofNodes),
      LEASEHOLD_ADMIN_KEY_ID: idsOf(keys.ofAdmins),
      ...lifecycleEnvironment(settings.lifecycle),
    }
    const shared = { settings, tables, keys, environment }
    const bus = new Bus(this, 'Bus', settings)
    const api = new Api(this, 'Api', shared)
    const monitor = new Monitor(this, 'Monitor', { ...shared, apiUrl: api.url })
    const notifier = new Notifier(this, 'Notifier', { ...shared, bus: bus.bus })
    const alarms = new Alarms(this, 'Alarms', { settings, tables, api, monitor, notifier })
    new Overview(this, 'Overview', { stage: settings.stage, alarms, api, tables })
    // `npx leasehold --outputs FILE` reads these by name.
    this.output('Stage', settings.stage, 'What events are marked with')
    this.output('ApiUrl', api.url, 'Where kubectl and hosts connect')
    this.output('LeasesTable', tables.leases.tableName, 'Where beats are kept')
    this.output('ObjectsTable', tables.objects.tableName, 'Where everything else is kept')
    this.output('EventBusName', bus.bus.eventBusName, 'Where to hang rules')
    this.output('UndeliveredQueueUrl', notifier.deadLetters.queueUrl, 'What could not be told')
    this.output('AlarmTopicArn', alarms.topic.topicArn, 'Whom alarms tell')
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description })
  }
}

/** The one that signs first. */
const idsOf = ({ believed }: KeyGenerations) => believed.map(({ keyId }) => keyId).join(',')

/** `node-monitor-period` becomes `NODE_MONITOR_PERIOD`, which is how the functions read it. */
function lifecycleEnvironment(flags: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [environmentName(flag), value]),
  )
}
