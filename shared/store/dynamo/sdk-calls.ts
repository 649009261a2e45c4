/** The calls by the SDK. Loaded at the first such call: a renewal needs none of this. */
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
import { WRITE_ATTEMPT_MS } from '../../lifecycle/clock-bounds.ts'
import type { ClockGuard, WallClock } from '../clock.ts'
import { type Calls, type Consumed, capacityUsages, type OnUsage } from './calls.ts'

export function sdkCalls(client: DynamoDBClient, onUsage?: OnUsage): Calls {
  // The consumed units cost a few bytes of every answer, so they are only asked for when counted.
  const counted = onUsage ? ({ ReturnConsumedCapacity: 'TOTAL' } as const) : {}
  const limit = () => ({ abortSignal: AbortSignal.timeout(WRITE_ATTEMPT_MS) })

  const once = async <Out extends Consumed>(operation: string, sent: Promise<Out>) => {
    const output = await sent
    if (onUsage) for (const usage of capacityUsages(operation, output)) onUsage(usage)
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

/** Hands the Date header of every answer, refusals included, to the clock guard. */
export function observeDates(client: DynamoDBClient, clock: WallClock, guard: ClockGuard): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentAtMs = clock()
      const result = await next(args)
      const { headers } = result.response as { readonly headers?: Record<string, string> }
      guard.observe(sentAtMs, headers?.date)
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'leaseholdClockGuard', override: true },
  )
}
