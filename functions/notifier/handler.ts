/** The notifier in Lambda: everything it needs comes from the environment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { SQSClient } from '@aws-sdk/client-sqs'
import { emfLine } from '../../shared/lifecycle/metrics/emf.ts'
import { lambdaLog } from '../../shared/store/aws/lambda-log.ts'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import { eventRecorder } from '../../shared/store/event-recorder.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { deadLetterQueue } from './dead-letter-queue.ts'
import { eventBridge } from './event-bridge.ts'
import { createNotifier } from './notifier.ts'

const clock = Date.now
const random = Math.random
const stage = required('LEASEHOLD_STAGE')
const tables = tableNames(required('LEASEHOLD_TABLE_PREFIX'))
const endpoint = process.env.DYNAMODB_ENDPOINT
const client = dynamoClient(endpoint ? { endpoint } : {})
const store = dynamoStore({ client, tables, clock, random, sleep })

/** AWS_ENDPOINT_URL and its kin are the SDK's own and need no word here. */
export const handler = createNotifier({
  stage,
  bus: eventBridge(new EventBridgeClient({ maxAttempts: 1 }), required('LEASEHOLD_EVENT_BUS')),
  recorder: eventRecorder(store, clock),
  deadLetters: deadLetterQueue(new SQSClient({}), required('LEASEHOLD_DEAD_LETTER_QUEUE')),
  clock,
  random,
  sleep,
  // Not console.log, which Lambda wraps in JSON of its own; CloudWatch would not find the metric.
  onUndelivered: (undelivered) =>
    process.stdout.write(`${emfLine(stage, { undelivered }, clock())}\n`),
  onHeldUp: (held) =>
    lambdaLog({
      level: 'warn',
      message: 'the stream is held up and will be offered again',
      ...held,
    }),
})

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}
