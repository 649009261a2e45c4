/** The clock: EventBridge Scheduler starts it once a minute, it ticks until a successor takes over. */
import { Duration } from 'aws-cdk-lib'
import { Schedule, ScheduleExpression } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import { Construct } from 'constructs'
import { monitorMemoryMb } from '../monitor-memory.ts'
import type { DeploymentSettings } from '../settings.ts'
import type { SigningKeys } from './keys.ts'
import { minutes, ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'

/** It ends by itself after 13; the rest is for the tick it is in. */
const TIMEOUT_MINUTES = 15
/** Incumbent, successor, and one more for a scheduler that fires twice. */
const CONCURRENCY = 3
/** An old start is worth nothing: the next minute brings a new one. */
const EVENT_AGE_SECONDS = 60

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
      reservedConcurrency: CONCURRENCY,
      environment: { ...props.environment, LEASEHOLD_API_URL: props.apiUrl },
    })
    const { function: sweep } = this.service
    sweep.configureAsyncInvoke({
      retryAttempts: 0,
      maxEventAge: Duration.seconds(EVENT_AGE_SECONDS),
    })
    props.tables.grantMonitor(sweep)
    // For the canary: a token of its own that can renew one lease, which the node key may sign.
    props.keys.nodeKey.grant(sweep, 'kms:Sign', 'kms:GetPublicKey')

    new Schedule(this, 'Tick', {
      scheduleName: `leasehold-${settings.stage}-monitor`,
      description: 'Starts the monitor; the running one hands over',
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      target: new LambdaInvoke(sweep, {
        retryAttempts: 0,
        maxEventAge: Duration.seconds(EVENT_AGE_SECONDS),
      }),
    })
  }
}
