/**
 * The notifier: reads the table's stream, puts events on the bus, and puts whole into a dead-letter
 * queue what it cannot deliver.
 */
import { Duration } from 'aws-cdk-lib'
import type { EventBus } from 'aws-cdk-lib/aws-events'
import { Grant } from 'aws-cdk-lib/aws-iam'
import { StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { streamFilters } from '../../shared/store/stream-filter.ts'
import { BATCHES_PER_SHARD } from '../concurrency.ts'
import { NOTIFIER_MEMORY_MB } from '../memory.ts'
import { acknowledgeNag } from '../nag.ts'
import type { DeploymentSettings } from '../settings.ts'
import { ServiceFunction } from './service-function.ts'
import type { Tables } from './tables.ts'
import { KEPT_DAYS } from './undelivered-records.ts'

const TIMEOUT_SECONDS = 60
const BATCH = 100
/**
 * A notifier that fails this long loses its oldest records to the bucket, well before the stream
 * forgets them after a day. What it cannot deliver it queues itself after a quarter of an hour.
 */
const RECORD_AGE_HOURS = 6
/** Both images of the largest object, compressed, and room for the reason. */
const MESSAGE_BYTES = 1024 * 1024

interface NotifierProps {
  readonly settings: DeploymentSettings
  readonly tables: Tables
  readonly bus: EventBus
  /** Gets the records of batches that it never finished. */
  readonly undelivered: Bucket
  readonly environment: Readonly<Record<string, string>>
}

export class NotifierService extends Construct {
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
    acknowledgeNag(
      this.deadLetters,
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason: last },
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason: last },
    )
    this.service = new ServiceFunction(this, 'Service', {
      name: 'notifier',
      code: 'notifier',
      stage: settings.stage,
      description: 'Leasehold: turns changes into events on the bus',
      timeout: Duration.seconds(TIMEOUT_SECONDS),
      memoryMb: NOTIFIER_MEMORY_MB,
      withoutDeadLetters: 'A stream calls it and waits; what cannot be delivered it parks itself.',
      logRetentionDays: settings.logRetentionDays,
      reservedConcurrency: settings.concurrency.notifier,
      environment: {
        ...props.environment,
        LEASEHOLD_EVENT_BUS: props.bus.eventBusName,
        LEASEHOLD_DEAD_LETTER_QUEUE: this.deadLetters.queueUrl,
      },
    })
    const { function: notify } = this.service
    props.bus.grantPutEventsTo(notify)
    this.deadLetters.grant(notify, 'sqs:SendMessage')
    props.tables.grantNotifier(notify)
    this.readStream(props)
  }

  private readStream({ tables, undelivered }: NotifierProps): void {
    const { function: notify } = this.service
    // Where Lambda puts a record; it also asks whether the bucket is there.
    const records = `${undelivered.bucketArn}/aws/lambda/*`
    const grant = (action: string, arn: string) =>
      Grant.addToPrincipal({ grantee: notify, actions: [action], resourceArns: [arn] })
    grant('s3:PutObject', records)
    grant('s3:ListBucket', undelivered.bucketArn)
    const exported = undelivered.stack.exportValue(undelivered.bucketArn)
    const { 'Fn::ImportValue': importName } = undelivered.stack.resolve(exported)
    acknowledgeNag(notify.role ?? notify, {
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::${importName}/aws/lambda/*]`,
      reason: 'Lambda names the objects that it puts into its own folder.',
    })
    notify.addEventSource(
      new DynamoEventSource(tables.objects, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: BATCH,
        maxBatchingWindow: Duration.seconds(0),
        parallelizationFactor: BATCHES_PER_SHARD,
        // No limit of retries: only age says that trying is over.
        maxRecordAge: Duration.hours(RECORD_AGE_HOURS),
        onFailure: { bind: () => ({ destination: undelivered.bucketArn }) },
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        filters: streamFilters.map((pattern) => ({ pattern: JSON.stringify(pattern) })),
      }),
    )
  }
}
