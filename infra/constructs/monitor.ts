/**
 * The clock: EventBridge Scheduler starts it once a minute, it ticks until a successor takes over.
 */
import { type CfnElement, Duration, Stack } from 'aws-cdk-lib'
import { Grant, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import { Construct } from 'constructs'
import { accept } from '../accept.ts'
import { monitorMemoryMb } from '../monitor-memory.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { SigningKeys } from './keys.ts'
import { minutes, ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'

/** It ends by itself after 13; the rest is for the tick it is in. */
const TIMEOUT_MINUTES = 15
/** An old start is worth nothing: the next minute brings a new one. */
const EVENT_AGE_SECONDS = 60
const OLD_START = 'A start that failed is worth nothing: the next minute brings another.'

export interface MonitorProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly keys: SigningKeys
  readonly apiUrl: string
  readonly environment: Readonly<Record<string, string>>
}

export class Monitor extends Construct {
  readonly service: ServiceFunction

  constructor(scope: Construct, id: string, props: MonitorProps) {
    super(scope, id)
    const { settings } = props
    this.service = new ServiceFunction(this, 'Service', {
      name: 'monitor',
      stage: settings.stage,
      description: 'Leasehold: decides who is alive, taints and evicts',
      timeout: minutes(TIMEOUT_MINUTES),
      memoryMb: monitorMemoryMb(settings.fleetSize),
      logRetentionDays: settings.logRetentionDays,
      reservedConcurrency: settings.monitorConcurrency,
      withoutDeadLetters: OLD_START,
      environment: { ...props.environment, LEASEHOLD_API_URL: props.apiUrl },
    })
    const { function: sweep } = this.service
    sweep.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.seconds(EVENT_AGE_SECONDS),
    })
    const destination = 'Serverless::Serverless-LambdaAsyncFailureDestination'
    accept(sweep, { id: destination, reason: OLD_START })
    props.tables.grantMonitor(sweep)
    // For the canary: a token of its own that can renew one lease, which the node key may sign.
    props.keys.ofNodes.signing.grant(sweep, 'kms:Sign', 'kms:GetPublicKey')

    if (settings.lifecycle['cloud-provider'] === 'aws') this.grantCloudCheck()
    this.schedule(settings.stage)
  }

  /** Only where the cloud check is on: is a silent host's instance gone? */
  private grantCloudCheck(): void {
    const { function: sweep } = this.service
    Grant.addToPrincipal({
      grantee: sweep,
      actions: ['ec2:DescribeInstances'],
      resourceArns: ['*'],
    })
    accept(sweep.role ?? sweep, {
      id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
      reason: 'ec2:DescribeInstances knows no narrower resource.',
    })
  }

  private schedule(stage: string): void {
    const { function: sweep } = this.service
    const role = new Role(this, 'Starter', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    })
    const logicalId = Stack.of(this).getLogicalId(sweep.node.defaultChild as CfnElement)
    accept(role, {
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
      reason: 'The wildcard stands for versions of this one function; the CDK always adds it.',
    })
    new Schedule(this, 'Tick', {
      scheduleName: `leasehold-${stage}-monitor`,
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
