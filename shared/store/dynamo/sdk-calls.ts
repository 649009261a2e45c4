/** The calls as the SDK makes them. Loaded at the first that is made: a beat needs none of this. */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { Clock } from '../stamps.ts'
import { type Calls, type Consumed, type OnUsage, usages } from './calls.ts'
import type { ClockGuard } from './clock-guard.ts'
import { attemptMs } from './persistence.ts'

export function sdkCalls(client: DynamoDBClient, onUsage?: OnUsage): Calls {
  // Asking for the units costs a few bytes of every answer, so only a listener makes it happen.
  const counted = onUsage ? ({ ReturnConsumedCapacity: 'TOTAL' } as const) : {}
  const limit = () => ({ abortSignal: AbortSignal.timeout(attemptMs) })

  const once = async <Out extends Consumed>(operation: string, sent: Promise<Out>) => {
    const output = await sent
    if (onUsage) for (const usage of usages(operation, output)) onUsage(usage)
    return output
  }

  return {
    getItem: (input) =>
      once('GetItem', client.send(new GetItemCommand({ ...input, ...counted }), limit())),
    batchGetItem: (input) =>
      once('BatchGetItem', client.send(new BatchGetItemCommand({ ...input, ...counted }), limit())),
    query: (input) =>
      once('Query', client.send(new QueryCommand({ ...input, ...counted }), limit())),
    scan: (input) => once('Scan', client.send(new ScanCommand({ ...input, ...counted }), limit())),
    putItem: (input) =>
      once('PutItem', client.send(new PutItemCommand({ ...input, ...counted }), limit())),
    updateItem: (input) =>
      once('UpdateItem', client.send(new UpdateItemCommand({ ...input, ...counted }), limit())),
    deleteItem: (input) =>
      once('DeleteItem', client.send(new DeleteItemCommand({ ...input, ...counted }), limit())),
    transactWriteItems: (input) =>
      once(
        'TransactWriteItems',
        client.send(new TransactWriteItemsCommand({ ...input, ...counted }), limit()),
      ),
  }
}

/** Every answer of the SDK's passes here before it is parsed, refusals included. */
export function listen(client: DynamoDBClient, clock: Clock, guard: ClockGuard): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAtMs = clock()
      const result = await next(args)
      const { headers } = result.response as { readonly headers?: Record<string, string> }
      guard.heard(sentAtMs, headers?.date)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'leaseholdClockGuard', override: true },
  )
}
