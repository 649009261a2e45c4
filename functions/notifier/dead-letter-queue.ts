/** The dead-letter queue in SQS: the notifier sends to it, `leasehold events replay` empties it. */
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import {
  type DeadLetterSink,
  decodeUndelivered,
  encodeUndelivered,
  type UndeliveredEvent,
} from './undelivered-event.ts'

export interface DeadLetterQueue extends DeadLetterSink {
  /** A few, in no order; none when the queue is empty. They come back unless deleted. */
  receive(): Promise<readonly ReceivedMessage[]>
  delete(message: ReceivedMessage): Promise<void>
}

export interface ReceivedMessage {
  readonly id: string
  readonly receipt: string
  /** Undefined when the notifier did not write the message: then it stays in the queue. */
  readonly content: UndeliveredEvent | undefined
}

const CALL_MS = 5_000
const MOST_AT_ONCE = 10
/** Asking every server of the queue, so that empty means empty. */
const WAIT_SECONDS = 1

export function deadLetterQueue(client: SQSClient, QueueUrl: string): DeadLetterQueue {
  const limit = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) })
  return {
    async send(undelivered) {
      const command = new SendMessageCommand({
        QueueUrl,
        MessageBody: encodeUndelivered(undelivered),
      })
      await client.send(command, limit())
    },

    async receive() {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST_AT_ONCE,
        WaitTimeSeconds: WAIT_SECONDS,
      })
      const { Messages = [] } = await client.send(command, limit())
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        id: MessageId,
        receipt: ReceiptHandle,
        content: decodeUndelivered(Body),
      }))
    },

    async delete({ receipt }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }), limit())
    },
  }
}
