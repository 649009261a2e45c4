/** What can be deleted and deployed again: the monitor, the notifier, the bus, the alarms. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { Alarms } from '../constructs/alarms.ts'
import { LeaseholdBus } from '../constructs/bus.ts'
import { MonitorService } from '../constructs/monitor.ts'
import { NotifierService } from '../constructs/notifier.ts'
import { Overview } from '../constructs/overview.ts'
import { sharedVariables } from '../constructs/service-function.ts'
import { tablesFor } from '../constructs/tables.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { ApiStack } from './api-stack.ts'
import type { DataStack } from './data-stack.ts'

interface ServiceStackProps extends StackProps {
  readonly settings: DeploymentSettings
  readonly data: DataStack
  readonly api: ApiStack
}

export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, props: ServiceStackProps) {
    super(scope, id, props)
    const { settings, data } = props
    const { keys, undelivered } = data
    const { api } = props.api
    const tables = tablesFor(this, settings, data.tables)
    const shared = { settings, tables, keys, environment: sharedVariables(settings, keys) }
    const { bus } = new LeaseholdBus(this, 'Bus', settings)
    const monitor = new MonitorService(this, 'Monitor', { ...shared, apiUrl: api.url })
    const notifier = new NotifierService(this, 'Notifier', { ...shared, bus, undelivered })
    const alarms = new Alarms(this, 'Alarms', { settings, tables, api, monitor, notifier })
    new Overview(this, 'Overview', { stage: settings.stage, alarms, api, monitor, tables })
    // `npx --no-install leasehold --outputs FILE` reads these by name.
    this.output('Stage', settings.stage, 'What events are marked with')
    this.output('LeasesTable', tables.leases.tableName, 'Where beats are kept')
    this.output('ObjectsTable', tables.objects.tableName, 'Where everything else is kept')
    this.output('EventBusName', bus.eventBusName, 'Where to hang rules')
    this.output('UndeliveredQueueUrl', notifier.deadLetters.queueUrl, 'What could not be told')
    this.output('AlarmTopicArn', alarms.topic.topicArn, 'Whom alarms tell')
  }

  private output(name: string, value: string, description: string): void {
    new CfnOutput(this, name, { value, description })
  }
}
