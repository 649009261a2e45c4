/**
 * Removes what has expired (events, tombstones, records with an end), as DynamoDB's time to live does:
 * the embedded engine keeps such items for ever. They count as gone from the moment they expire, so
 * this is about disk and the length of scans only.
 */
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb'

const TRIM_MS = 10 * 60_000
const PAGE = 500

interface TrimPlan {
  readonly client: DynamoDBClient
  readonly table: string
  readonly onTrouble: (error: unknown) => void
}

export function trimExpiredItems(plan: TrimPlan): { stop(): Promise<void> } {
  let trimming: Promise<unknown> = Promise.resolve()
  const trim = () => {
    trimming = removeExpired(plan, Date.now()).catch(plan.onTrouble)
  }
  const timer = setInterval(trim, TRIM_MS)
  return {
    async stop() {
      clearInterval(timer)
      await trimming
      plan.client.destroy()
    },
  }
}

/** Answers with how many there were. */
export async function removeExpired({ client, table }: TrimPlan, nowMs: number): Promise<number> {
  const expired = {
    ExpressionAttributeNames: { '#ttl': 'ttl' },
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(nowMs / 1_000)) } },
  }
  let removed = 0
  const pages = paginateScan(
    { client, pageSize: PAGE },
    {
      TableName: table,
      FilterExpression: '#ttl <= :now',
      ProjectionExpression: '#partition, sort',
      ...expired,
      ExpressionAttributeNames: { ...expired.ExpressionAttributeNames, '#partition': 'partition' },
    },
  )
  for await (const { Items = [] } of pages)
    for (const { partition, sort } of Items) {
      const Key = { partition: partition!, sort: sort! }
      // Written anew since: it has another end now.
      const request = { TableName: table, Key, ConditionExpression: '#ttl <= :now', ...expired }
      removed += await client.send(new DeleteItemCommand(request)).then(() => 1, notExpired)
    }
  return removed
}

function notExpired(error: unknown): number {
  if (error instanceof ConditionalCheckFailedException) return 0
  throw error
}
