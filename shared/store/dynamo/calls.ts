/**
 * The eight calls of DynamoDB the store makes: one attempt each, limited in time, its units
 * counted.
 */
import type {
  BatchGetItemCommandInput,
  BatchGetItemCommandOutput,
  ConsumedCapacity,
  DeleteItemCommandInput,
  DeleteItemCommandOutput,
  GetItemCommandInput,
  GetItemCommandOutput,
  PutItemCommandInput,
  PutItemCommandOutput,
  QueryCommandInput,
  QueryCommandOutput,
  ScanCommandInput,
  ScanCommandOutput,
  TransactWriteItemsCommandInput,
  TransactWriteItemsCommandOutput,
  UpdateItemCommandInput,
  UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb'

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

export interface Consumed {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined
  readonly ScannedCount?: number | undefined
}

/** Calls of which nothing is loaded before the first is made. */
export const lateCalls = (load: () => Promise<Calls>): Calls => ({
  getItem: async (input) => (await load()).getItem(input),
  batchGetItem: async (input) => (await load()).batchGetItem(input),
  query: async (input) => (await load()).query(input),
  scan: async (input) => (await load()).scan(input),
  putItem: async (input) => (await load()).putItem(input),
  updateItem: async (input) => (await load()).updateItem(input),
  deleteItem: async (input) => (await load()).deleteItem(input),
  transactWriteItems: async (input) => (await load()).transactWriteItems(input),
})

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
