/** The notifier in Lambda: everything it needs comes from the environment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { SQSClient } from '@aws-sdk/client-sqs'
import { dynamoClient } from '../../shared/store/dynamo/client.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { storedDiary } from './diary.ts'
import { eventBridge } from './event-bridge.ts'
import { letterQueue } from './letter-queue.ts'
import { createNotifier } from './notifier.ts'
import { undeliveredMetric } from './undelivered-metric.ts'

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
  diary: storedDiary(store, clock),
  deadLetters: letterQueue(new SQSClient({}), required('LEASEHOLD_DEAD_LETTER_QUEUE')),
  clock,
  random,
  sleep,
  // Not console.log, which Lambda wraps in JSON of its own; CloudWatch would not find the metric.
  onUndelivered: (count) => process.stdout.write(`${undeliveredMetric(stage, count, clock())}\n`),
  onHeldUp: (held) => console.warn('the stream is held up, it will be offered again', held),
})

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the function's environment lacks ${name}`)
  return value
}
