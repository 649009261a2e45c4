/**
 * A page of a list, in order, out of sixteen shards. Each shard is read a little at a time and
 * refilled only when the merge needs its next item, so a page reads about its own length and not
 * the fleet.
 */
import { hasLapsed, type ObjectState, pageStart } from '../object-state.ts'
import type { PageRequest } from '../ports.ts'
import { objectShards, partitionsOf } from '../tables.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, PoisonedItem, text, textOf } from './items.ts'
import { objectOf } from './object-items.ts'

/**
 * Names fall unevenly: a shard is asked for its fair share and this much more before it is asked
 * again.
 */
const slack = 4

export interface Listed {
  readonly states: readonly ObjectState[]
  readonly more: boolean
  readonly poisoned: readonly string[]
}

export async function listed(
  connection: Connection,
  resource: string,
  page: PageRequest,
): Promise<Listed> {
  const limit = page.limit ?? Number.POSITIVE_INFINITY
  const beyond = page.namespace !== undefined && pageStart(page) > endOf(page.namespace)
  if (beyond) return { states: [], more: false, poisoned: [] }
  const cursors = partitionsOf(resource).map((partition) => cursor(connection, partition, page))
  const states: ObjectState[] = []
  const poisoned: string[] = []
  for await (const item of merged(cursors)) {
    const found = readOr(item, poisoned)
    if (!found || hasLapsed(found, connection.nowMs())) continue
    if (states.length === limit) return { states, more: true, poisoned }
    states.push(found)
  }
  return { states, more: false, poisoned }
}

function readOr(item: Item, poisoned: string[]): ObjectState | undefined {
  try {
    return objectOf(item)
  } catch (error) {
    if (!(error instanceof PoisonedItem)) throw error
    poisoned.push(error.id)
    return undefined
  }
}

interface Cursor {
  /** The shard's next item, read if need be; undefined at its end. */
  head(): Promise<Item | undefined>
  advance(): void
}

/** The smallest head, again and again. */
async function* merged(cursors: readonly Cursor[]): AsyncIterable<Item> {
  const heads = await Promise.all(cursors.map((each) => each.head()))
  for (;;) {
    const at = smallest(heads)
    const item = heads[at]
    if (!item) return
    yield item
    cursors[at]!.advance()
    heads[at] = await cursors[at]!.head()
  }
}

function smallest(heads: readonly (Item | undefined)[]): number {
  let found = -1
  for (const [at, item] of heads.entries()) {
    if (!item) continue
    if (found < 0 || textOf(item, 'sort')! < textOf(heads[found]!, 'sort')!) found = at
  }
  return found
}

function cursor(connection: Connection, partition: string, page: PageRequest): Cursor {
  let items: readonly Item[] = []
  let at = 0
  let from: Item | undefined
  let atEnd = false
  const refill = async () => {
    const start = from && { ExclusiveStartKey: from }
    const input = { ...shardQuery(connection, partition, page), ...start }
    const answer = await steadily(connection, () => connection.calls.query(input))
    items = answer.Items ?? []
    at = 0
    from = answer.LastEvaluatedKey
    atEnd = from === undefined
  }
  return {
    async head() {
      while (at >= items.length && !atEnd) await refill()
      return items[at]
    },
    advance() {
      at += 1
    },
  }
}

function shardQuery({ tables }: Connection, partition: string, page: PageRequest) {
  const { limit } = page
  const range = rangeOf(page)
  return {
    TableName: tables.objects,
    ConsistentRead: true,
    KeyConditionExpression: `#partition = :partition${range.clause}`,
    ExpressionAttributeNames: { '#partition': 'partition', ...range.names },
    ExpressionAttributeValues: { ':partition': text(partition), ...range.values },
    ...(limit !== undefined && { Limit: Math.ceil(limit / objectShards) + slack }),
  }
}

/** No key ends with it and every key of the namespace is before it, so a range may include it. */
const endOf = (namespace: string) => `${namespace}0`

interface Range {
  readonly clause: string
  readonly names: Record<string, string>
  readonly values: Record<string, Item[string]>
}

/** A sort key takes one condition, so "in this namespace and after that name" is a range. */
function rangeOf(page: PageRequest): Range {
  const from = pageStart(page)
  if (page.namespace === undefined && !from) return { clause: '', names: {}, values: {} }
  const names = { '#sort': 'sort' }
  if (page.namespace === undefined)
    return { clause: ' AND #sort >= :from', names, values: { ':from': text(from) } }
  const values = { ':from': text(from), ':end': text(endOf(page.namespace)) }
  return { clause: ' AND #sort BETWEEN :from AND :end', names, values }
}
