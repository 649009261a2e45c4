/** The monitor: EventBridge Scheduler starts it once a minute; it ticks until it is succeeded. */
import { type CfnElement, Duration, Stack } from 'aws-cdk-lib'
import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import { Construct } from 'constructs'
import { METRIC_NAMESPACE } from '../../shared/lifecycle/metrics/names.ts'
import { monitorGrants } from '../features.ts'
import { monitorMemoryMb } from '../memory.ts'
import { acknowledgeNag } from '../nag.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { SigningKeys } from './keys.ts'
import { ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'

/** It ends by itself after 13; the rest is for its last tick. */
const TIMEOUT_MINUTES = 15
/** An old start is useless: the next minute brings a new one. */
const EVENT_AGE_SECONDS = 60
const OLD_START = 'A start that failed is worth nothing: the next minute brings another.'

interface MonitorProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly keys: SigningKeys
  readonly apiUrl: string
  readonly environment: Readonly<Record<string, string>>
}

export class MonitorService extends Construct {
  readonly service: ServiceFunction
  private readonly stage: string

  constructor(scope: Construct, id: string, props: MonitorProps) {
    super(scope, id)
    const { settings } = props
    this.stage = settings.stage
    this.service = new ServiceFunction(this, 'Service', {
      name: 'monitor',
      code: 'monitor',
      stage: settings.stage,
      description: 'Leasehold: decides who is alive, taints and evicts',
      timeout: Duration.minutes(TIMEOUT_MINUTES),
      memoryMb: monitorMemoryMb(settings.fleetSize),
      logRetentionDays: settings.logRetentionDays,
      reservedConcurrency: settings.concurrency.monitor,
      withoutDeadLetters: OLD_START,
      environment: { ...props.environment, LEASEHOLD_API_URL: props.apiUrl },
    })
    const { function: sweep } = this.service
    sweep.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.seconds(EVENT_AGE_SECONDS),
    })
    const destination = 'Serverless::Serverless-LambdaAsyncFailureDestination'
    acknowledgeNag(sweep, { id: destination, reason: OLD_START })
    props.tables.grantMonitor(sweep)
    // For the canary: a token of its own that can renew one lease, which the node key may sign.
    props.keys.ofNodes.signing.grant(sweep, 'kms:Sign', 'kms:GetPublicKey')

    for (const grant of monitorGrants) grant(sweep, settings)
    this.schedule()
  }

  /** One of the metrics the monitor writes to its log. Default period: five minutes. */
  metric(metricName: string, statistic: string, period?: Duration): Metric {
    const dimensionsMap = { Stage: this.stage }
    return new Metric({ namespace: METRIC_NAMESPACE, metricName, statistic, period, dimensionsMap })
  }

  private schedule(): void {
    const { function: sweep } = this.service
    const role = new Role(this, 'Starter', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    })
    const logicalId = Stack.of(this).getLogicalId(sweep.node.defaultChild as CfnElement)
    acknowledgeNag(role, {
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
      reason: 'The wildcard stands for versions of this one function; the CDK always adds it.',
    })
    new Schedule(this, 'Tick', {
      scheduleName: `leasehold-${this.stage}-monitor`,
      description: 'Starts the monitor; the running one hands over',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(sweep, {
        role,
        retryAttempts: 0,
        maxEventAge: Duration.seconds(EVENT_AGE_SECONDS),
      }),
    })
  }
}
