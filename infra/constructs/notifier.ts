/**
 * Tells the world: the table's stream in, the bus out, what cannot be delivered to a queue that
 * keeps it whole.
 */
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
const KEPT_DAYS = 14
/** Both images of the largest object, packed, and room for the reason. */
const MESSAGE_BYTES = 1024 * 1024

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
      maxMessageSizeBytes: MESSAGE_BYTES,
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
        // No limit of tries or age: Lambda would drop what the notifier is still to park by itself.
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        filters: streamFilters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
      }),
    )
  }
}
