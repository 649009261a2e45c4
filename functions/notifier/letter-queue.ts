/** Letters in SQS: the notifier parks them, `leasehold events replay` takes them out again. */
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { type DeadLetters, type Letter, letterFrom, letterText } from './letter.ts'

export interface LetterQueue extends DeadLetters {
  /** A few, in no order; none when the queue is empty. They come back unless they are dropped. */
  take(): Promise<readonly TakenLetter[]>
  drop(taken: TakenLetter): Promise<void>
}

export interface TakenLetter {
  readonly id: string
  readonly receipt: string
  /** Absent for a message that is none of ours. */
  readonly letter?: Letter
}

const CALL_MS = 5_000
const MOST_AT_ONCE = 10
/** Asking every server of the queue, so that empty means empty. */
const WAIT_SECONDS = 1

export function letterQueue(client: SQSClient, QueueUrl: string): LetterQueue {
  const limit = () => ({ abortSignal: AbortSignal.timeout(CALL_MS) })
  return {
    async park(letter) {
      const command = new SendMessageCommand({ QueueUrl, MessageBody: letterText(letter) })
      await client.send(command, limit())
    },

    async take() {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: MOST_AT_ONCE,
        WaitTimeSeconds: WAIT_SECONDS,
      })
      const { Messages = [] } = await client.send(command, limit())
      return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '' }) => ({
        id: MessageId,
        receipt: ReceiptHandle,
        ...opened(Body),
      }))
    },

    async drop({ receipt }) {
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }), limit())
    },
  }
}

function opened(body: string): { readonly letter?: Letter } {
  try {
    return { letter: letterFrom(body) }
  } catch {
    // Whatever somebody else put there stays there.
    return {}
  }
}
