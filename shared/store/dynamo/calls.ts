/** The eight calls of DynamoDB that the store makes: one attempt each, limited in time. */
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
import type { AwsEndpoint } from '../aws/endpoint.ts'
import { signedCall } from '../aws/signed-call.ts'
import type { ClockGuard, WallClock } from '../clock.ts'
import { lazily } from '../lazily.ts'

export interface CapacityUsage {
  readonly operation: string
  readonly table: string
  readonly readUnits: number
  readonly writeUnits: number
  /** Items that a query or scan read, filtered ones included. */
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

export type OnUsage = (usage: CapacityUsage) => void

export interface Consumed {
  readonly ConsumedCapacity?: ConsumedCapacity | ConsumedCapacity[] | undefined
  readonly ScannedCount?: number | undefined
}

/** Calls whose code is loaded when the first is made. */
export const lazyCalls = (load: () => Promise<Calls>): Calls => ({
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

export function capacityUsages(operation: string, output: Consumed): readonly CapacityUsage[] {
  const consumed = output.ConsumedCapacity ?? []
  return [consumed].flat().map(({ TableName = '', CapacityUnits = 0 }) => ({
    operation,
    table: TableName,
    readUnits: reads.has(operation) ? CapacityUnits : 0,
    writeUnits: reads.has(operation) ? 0 : CapacityUnits,
    items: output.ScannedCount ?? 0,
  }))
}

/** The calls that a renewal makes, and the reads it rests on, signed by us instead of the SDK. */
interface SignedOptions {
  readonly clock: WallClock
  readonly guard: ClockGuard
  readonly onUsage?: OnUsage
}

export function signedCalls(
  endpoint: () => Promise<AwsEndpoint>,
  { clock, guard, onUsage }: SignedOptions,
): Pick<Calls, 'getItem' | 'updateItem'> {
  const call = lazily(async () => signedCall(await endpoint(), { clock, guard }))
  const once = async <Out extends Consumed>(operation: string, input: object) => {
    const send = await call()
    if (!onUsage) return (await send(operation, input)) as Out
    const output = (await send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' })) as Out
    for (const usage of capacityUsages(operation, output)) onUsage(usage)
    return output
  }
  return {
    getItem: (input) => once<GetItemCommandOutput>('GetItem', input),
    updateItem: (input) => once<UpdateItemCommandOutput>('UpdateItem', input),
  }
}
