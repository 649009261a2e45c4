/**
 * Once for real: changes in a real table, its real stream, the Lambda's own handler, the real SDK,
 * an EventBridge API over HTTP, a rule, a queue. What arrives is compared with what was decided.
 *
 * Where the server cannot be had, this file has one test, and its name says that nothing was
 * checked and why. On a build server (CI) that test fails: there, not having looked must not look
 * like having found nothing.
 */
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams'
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadLetterQueue } from '../../functions/notifier/dead-letter-queue.ts'
import type { StreamHandler } from '../../functions/notifier/notifier.ts'
import { replayUndelivered } from '../../functions/notifier/replay.ts'
import {
  type Engine,
  engineCredentials,
  engineRegion,
  startEngine,
} from '../../local/engine/engine.ts'
import { tableStream } from '../../local/stream/table-stream.ts'
import type { DomainEvent } from '../../shared/lifecycle/events/domain-event.ts'
import { domainEvents } from '../../shared/lifecycle/events/domain-events.ts'
import { createTables } from '../../shared/store/dynamo/create-tables.ts'
import { dynamoStore } from '../../shared/store/dynamo/store.ts'
import type { Store } from '../../shared/store/ports.ts'
import { isCandidate, type StreamRecord, transitionOf } from '../../shared/store/stream-record.ts'
import { tableNames } from '../../shared/store/tables.ts'
import { blocks } from '../functions/notifier/documented-events.ts'
import { erase, goodBus, node, stage, write } from '../functions/notifier/rig.ts'
import { clientFor } from './dynamo-rig.ts'
import { type Moto, probeMoto, startMoto } from './moto.ts'
import { testClock } from './rig.ts'

const probe = await probeMoto()

if (probe.kind === 'absent') notChecked(probe.why)
else describe('an EventBridge API over HTTP', () => delivery(probe.bin))

function notChecked(why: string): void {
  const says = `NOT CHECKED here: delivery over an EventBridge API, because ${why}`
  // A reporter need not show the name of a test that passes.
  console.warn(says)
  it(says, () => {
    expect(process.env.CI, `Python with moto is needed on a build server: ${why}`).toBeFalsy()
  })
}

function delivery(bin: string): void {
  const bus = 'leasehold-test'
  const prefix = 'event-bus'
  const tables = tableNames(prefix)
  let engine: Engine
  let moto: Moto
  let store: Store
  let sqs: SQSClient
  let records: readonly StreamRecord[]
  let handler: StreamHandler
  const queues = { all: '', ruled: '', undelivered: '' }

  beforeAll(async () => {
    ;[engine, moto] = await Promise.all([startEngine(), startMoto(bin)])
    const access = { region: engineRegion, credentials: engineCredentials }
    const client = clientFor(engine.endpoint)
    await createTables(client, tables)
    const timing = { random: Math.random, sleep: async () => {} }
    store = dynamoStore({ client, tables, clock: Date.now, ...timing })
    sqs = new SQSClient({ ...access, endpoint: moto.endpoint })
    await wire(new EventBridgeClient({ ...access, endpoint: moto.endpoint }))
    await live(store)
    const streams = new DynamoDBStreamsClient({ ...access, endpoint: engine.endpoint })
    records = await wholeStream(streams, tables.objects)
    handler = await lambda()
  })

  afterAll(async () => {
    await Promise.all([engine?.stop(), moto?.stop()])
  })

  /** One queue for everything, one for the documented rule. */
  async function wire(events: EventBridgeClient): Promise<void> {
    const everything = { source: ['leasehold'] }
    queues.all = await queue('all')
    queues.ruled = await queue('ruled')
    queues.undelivered = await queue('undelivered')
    await events.send(new CreateEventBusCommand({ Name: bus }))
    for (const [name, pattern] of [
      ['all', everything],
      ['ruled', blocks('rule')[0]],
    ] as const) {
      const EventPattern = JSON.stringify(pattern)
      const rule = { Rule: name, EventBusName: bus }
      await events.send(new PutRuleCommand({ Name: name, EventBusName: bus, EventPattern }))
      const Targets = [{ Id: 'queue', Arn: await arnOf(queues[name]) }]
      await events.send(new PutTargetsCommand({ ...rule, Targets }))
    }
  }

  async function queue(QueueName: string): Promise<string> {
    return (await sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl!
  }

  async function arnOf(QueueUrl: string): Promise<string> {
    const wanted = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })
    return (await sqs.send(wanted)).Attributes!.QueueArn!
  }

  /** The entry point itself, told where everything is in the way Lambda tells it. */
  async function lambda(): Promise<StreamHandler> {
    Object.assign(process.env, {
      LEASEHOLD_STAGE: stage,
      LEASEHOLD_TABLE_PREFIX: prefix,
      LEASEHOLD_EVENT_BUS: bus,
      LEASEHOLD_DEAD_LETTER_QUEUE: queues.undelivered,
      AWS_REGION: engineRegion,
      AWS_ACCESS_KEY_ID: engineCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: engineCredentials.secretAccessKey,
      AWS_ENDPOINT_URL: moto.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    })
    return (await import('../../functions/notifier/handler.ts')).handler
  }

  async function arrived(QueueUrl: string): Promise<readonly DomainEvent[]> {
    const found: DomainEvent[] = []
    for (;;) {
      const most = { MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, ...most }))
      if (Messages.length === 0) return found
      found.push(...Messages.map(({ Body = '' }) => JSON.parse(Body) as DomainEvent))
      const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }))
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
    }
  }

  it('carries what was decided to a queue, and what a rule picks to another', async () => {
    const news = records.filter(isCandidate).map(transitionOf)
    const decided = news.flatMap((transition) => domainEvents(transition, stage))
    expect(await handler({ Records: records })).toEqual({ batchItemFailures: [] })
    const heard = await arrived(queues.all)
    expect(heard.map(told).toSorted(byId)).toEqual(decided.map(told).toSorted(byId))
    expect(decided.length).toBeGreaterThan(20)

    const picked = decided.filter((event) => event['detail-type'] === 'NodeUnreachable')
    expect((await arrived(queues.ruled)).map(told)).toEqual(picked.map(told))
  })

  it('writes the same down for kubectl', async () => {
    const { items } = await store.objects.list('events', { namespace: 'default' })
    expect(items.map(({ fields }) => fields.reason)).toContain('RegisteredNode')
  })

  it('keeps a record nobody can read, whole, until it is replayed', async () => {
    const first = records.find(isCandidate)!
    const schema = { N: '99' }
    const NewImage = { ...first.dynamodb!.NewImage, schema }
    const poisoned = { ...first, dynamodb: { ...first.dynamodb, NewImage } }
    expect(await handler({ Records: [poisoned] })).toEqual({ batchItemFailures: [] })

    const queue = deadLetterQueue(sqs, queues.undelivered)
    const taken = await queue.receive()
    expect(taken.map(({ content }) => content)).toMatchObject([{ record: poisoned }])
    await queue.delete(taken[0]!)

    const [event] = domainEvents(transitionOf(first), stage)
    await queue.send({ why: 'the bus was down', event: event! })
    const mended = goodBus()
    const recorder = { record: async () => {}, flush: async () => {} }
    const replayed = await replayUndelivered({ stage, queue, bus: mended, recorder })
    expect(replayed).toEqual({ delivered: 1, left: [] })
    expect(mended.heard).toEqual([event])
    expect(await queue.receive()).toEqual([])
  })
}

/** Enough for more than one call of ten. */
async function live(store: Store): Promise<void> {
  const its = { store, clock: testClock(0) }
  const labels = {
    'topology.kubernetes.io/region': 'eu',
    'topology.kubernetes.io/zone': 'a',
  }
  for (let at = 0; at < 8; at += 1) await write(its, 'nodes', node(`host-${at}`))
  const fallen = node('host-0', 'Unknown')
  await write(its, 'nodes', { ...fallen, metadata: { ...fallen.metadata, labels } })
  for (let at = 1; at < 4; at += 1)
    await write(its, 'nodes', node(`host-${at}`, 'True', { unschedulable: true }))
  await write(its, 'zones', { metadata: { name: 'eu.a' }, status: { state: 'Normal' } } as never)
  await erase(its, 'nodes', 'host-7')
  const lock = { namespace: 'default', name: 'lock', uid: 'uid-of-lock' }
  await store.leases.create({ metadata: lock, spec: { holderIdentity: 'me' } })
}

async function wholeStream(
  client: DynamoDBStreamsClient,
  table: string,
): Promise<readonly StreamRecord[]> {
  const stream = await tableStream(client, table)
  const [shard] = await stream.shards()
  const { records } = await stream.read(await stream.open(shard!.id))
  return records
}

/** What of an event is ours: around it the bus puts an id, an account and a region of its own. */
const told = (event: DomainEvent) => ({
  source: event.source,
  type: event['detail-type'],
  atMs: Date.parse(event.time),
  detail: event.detail,
})
const byId = (one: ReturnType<typeof told>, other: ReturnType<typeof told>) =>
  one.detail.id < other.detail.id ? -1 : 1
