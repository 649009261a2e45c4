/**
 * The eight calls of DynamoDB the store makes: one attempt each, limited in time, its units
 * counted.
 */
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DeleteItemCommandOutput,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  PutItemCommand,
  type PutItemCommandInput,
  type PutItemCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandInput,
  type ScanCommandOutput,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  type TransactWriteItemsCommandOutput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { attemptMs } from './persistence.ts'

export interface Usage {
  readonly operation: string
  readonly table: string
  readonly readUnits: number
  readonly writeUnits: number
  /** How many items a query or scan looked at, filtered ones included. */
  readonly items: number
}

export interface Calls {
  getItem(input: GetItemCommandInput): Promise<GetItemCommandOutput>
  batchGetItem(input: BatchGetItemCommandInput): Promise<BatchGetItemCommandOutput>
  query(input: QueryCommandInput): Promise<QueryCommandOutput>
  scan(input: ScanCommandInput): Promise<ScanCommandOutput>
  putItem(input: PutItemCommandInput): Promise<PutItemCommandOutput>
  updateItem(input: UpdateItemCommandInput): Promise<UpdateItemCommandOutput>
  deleteItem(input: DeleteItemCommandInput): Promise<DeleteItemCommandOutput>
  transactWriteItems(
    input: TransactWriteItemsCommandInput,
  ): Promise<TransactWriteItemsCommandOutput>
}

export type OnUsage = (usage: Usage) => void

export function calls(client: DynamoDBClient, onUsage?: OnUsage): Calls {
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

interface Consumed {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined
  readonly ScannedCount?: number | undefined
}

const reads = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan'])

export function usages(operation: string, output: Consumed): readonly Usage[] {
  const consumed = output.ConsumedCapacity ?? []
  return [consumed].flat().map(({ TableName = '', CapacityUnits = 0 }) => ({
    operation,
    table: TableName,
    readUnits: reads.has(operation) ? CapacityUnits : 0,
    writeUnits: reads.has(operation) ? 0 : CapacityUnits,
    items: output.ScannedCount ?? 0,
  }))
}
