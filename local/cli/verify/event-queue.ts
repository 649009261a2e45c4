/** What arrives on the bus: a rule for everything the service tells, and a queue behind it. */
import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { DomainEvent } from '../../../shared/lifecycle/events/domain-event.ts'

export interface EventQueue {
  /** What has arrived since it was opened, repeats left out. */
  heard(): Promise<readonly DomainEvent[]>
  /** Removes rule and queue. */
  stop(): Promise<void>
}

const BATCH = 10
const TARGET = 'queue'

/** `name` becomes that of the rule and of the queue. */
export async function openEventQueue(bus: string, name: string): Promise<EventQueue> {
  // An emulator's queue has an address that few name servers know.
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false })
  const events = new EventBridgeClient({})
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }))
  const rule = { Name: name, EventBusName: bus }
  const heard = new Map<string, DomainEvent>()
  const queue: EventQueue = {
    async heard() {
      for (let taken = BATCH; taken === BATCH; )
        taken = await receive(sqs, QueueUrl ?? '', (event) => heard.set(event.detail.id, event))
      return [...heard.values()]
    },
    async stop() {
      const target = { Rule: name, EventBusName: bus, Ids: [TARGET] }
      await Promise.allSettled([events.send(new RemoveTargetsCommand(target))])
      await Promise.allSettled([events.send(new DeleteRuleCommand(rule))])
      await sqs.send(new DeleteQueueCommand({ QueueUrl }))
    },
  }
  try {
    await connect({ sqs, events, queueUrl: QueueUrl ?? '', bus, rule: name })
  } catch (error) {
    await queue.stop()
    throw error
  }
  return queue
}

interface Connection {
  readonly sqs: SQSClient
  readonly events: EventBridgeClient
  readonly queueUrl: string
  readonly bus: string
  readonly rule: string
}

async function connect({ sqs, events, queueUrl: QueueUrl, bus, rule }: Connection): Promise<void> {
  const EventPattern = JSON.stringify({ source: ['leasehold'] })
  const EventBusName = bus
  const { RuleArn } = await events.send(
    new PutRuleCommand({ Name: rule, EventBusName, EventPattern }),
  )
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })
  const Arn = (await sqs.send(asked)).Attributes?.QueueArn
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: Arn,
        Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } },
      },
    ],
  })
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }))
  const Targets = [{ Id: TARGET, Arn }]
  await events.send(new PutTargetsCommand({ Rule: rule, EventBusName, Targets }))
}

/** How many messages there were. */
async function receive(
  sqs: SQSClient,
  QueueUrl: string,
  take: (event: DomainEvent) => void,
): Promise<number> {
  const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: BATCH })
  const { Messages = [] } = await sqs.send(asked)
  for (const { Body = '{}' } of Messages) take(JSON.parse(Body) as DomainEvent)
  if (Messages.length === 0) return 0
  const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }))
  await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
  return Messages.length
}
