import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { internal } from '../../kube/status-error.ts'
import { changesIndex } from '../tables.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, number, text } from './items.ts'

/** A page is 1 MB: nothing that is read whole comes near this. */
const maxPages = 1_000

export async function queryAll(connection: Connection, input: QueryCommandInput): Promise<Item[]> {
  const items: Item[] = []
  let from: Item | undefined
  for (let pages = 0; pages < maxPages; pages += 1) {
    const start = from && { ExclusiveStartKey: from }
    const page = await steadily(connection, () => connection.calls.query({ ...input, ...start }))
    items.push(...(page.Items ?? []))
    from = page.LastEvaluatedKey
    if (!from) return items
  }
  throw internal(`a query of ${input.TableName} has more than ${maxPages} pages`)
}

export function queryFeed(connection: Connection, feed: string, since: number): Promise<Item[]> {
  return queryAll(connection, {
    TableName: connection.tables.objects,
    IndexName: changesIndex.name,
    KeyConditionExpression: '#feed = :feed AND #version >= :since',
    ExpressionAttributeNames: {
      '#feed': changesIndex.partition.name,
      '#version': changesIndex.sort.name,
    },
    ExpressionAttributeValues: { ':feed': text(feed), ':since': number(since) },
  })
}
