/** Tells the world: the table's stream in, the bus out, what cannot be delivered to a queue that keeps it whole. */
import { Duration } from 'aws-cdk-lib'
import type { EventBus } from 'aws-cdk-lib/aws-events'
import { StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { streamFilters } from '../../shared/store/stream-filter.ts'
import { accept } from '../accept.ts'
import type { DeploymentSettings } from '../settings.ts'
import { ServiceFunction, seconds } from './service-function.ts'
import type { Tables } from './tables.ts'

const TIMEOUT_SECONDS = 60
const MEMORY_MB = 256
const BATCH = 100
/** A poisoned batch is halved until the bad record stands alone; after this many tries it is parked. */
const RETRIES = 5
const RECORD_AGE_HOURS = 6
const KEPT_DAYS = 14

export interface NotifierProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly bus: EventBus
  readonly environment: Readonly<Record<string, string>>
}

export class Notifier extends Construct {
  readonly service: ServiceFunction
  readonly deadLetters: Queue

  constructor(scope: Construct, id: string, props: NotifierProps) {
    super(scope, id)
    const { settings } = props
    this.deadLetters = new Queue(this, 'DeadLetters', {
      queueName: `leasehold-${settings.stage}-undelivered`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(KEPT_DAYS),
    })
    const last = 'It is the dead-letter queue: people empty it with `leasehold events replay`.'
    accept(
      this.deadLetters,
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason: last },
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason: last },
    )
    this.service = new ServiceFunction(this, 'Service', {
      name: 'notifier',
      stage: settings.stage,
      description: 'Leasehold: turns changes into events on the bus',
      timeout: seconds(TIMEOUT_SECONDS),
      memoryMb: MEMORY_MB,
      withoutDeadLetters: 'A stream calls it and waits; what cannot be delivered it parks itself.',
      logRetentionDays: settings.logRetentionDays,
      environment: {
        ...props.environment,
        LEASEHOLD_EVENT_BUS: props.bus.eventBusName,
        LEASEHOLD_DEAD_LETTER_QUEUE: this.deadLetters.queueUrl,
      },
    })
    const { function: notify } = this.service
    accept(notify, {
      id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Such a destination is told positions in the stream, not records. The notifier parks ' +
        'what it cannot deliver itself, whole.',
    })
    props.bus.grantPutEventsTo(notify)
    this.deadLetters.grant(notify, 'sqs:SendMessage')
    props.tables.grantNotifier(notify)
    notify.addEventSource(
      new DynamoEventSource(props.tables.objects, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: BATCH,
        maxBatchingWindow: Duration.seconds(0),
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: RETRIES,
        maxRecordAge: Duration.hours(RECORD_AGE_HOURS),
        filters: streamFilters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
      }),
    )
  }
}
