/** Queries of the objects table: a whole partition, or one page of a list across all shards. */

import type { QueryCommandInput } from '@aws-sdk/client-dynamodb'
import { internal } from '../../kube/status-error.ts'
import { hasExpired, type ObjectState, pageStart } from '../object-state.ts'
import type { PageRequest } from '../ports.ts'
import { objectShards, partitionsOf } from '../tables.ts'
import type { Connection } from './connection.ts'
import { type Item, PoisonedItem, stringOf, stringValue } from './items.ts'
import { decodeObject } from './object-items.ts'
import { retry } from './retry.ts'

/** A page is 1 MB. No partition that is read whole comes near this. */
const maxPages = 1_000

export const queryAll = (connection: Connection, input: QueryCommandInput): Promise<Item[]> =>
  queryEach(connection, input, (item) => item)

/** Each page is turned into what is kept of it before the next is read. */
async function queryEach<T>(
  connection: Connection,
  input: QueryCommandInput,
  keep: (item: Item) => T,
): Promise<T[]> {
  const kept: T[] = []
  let from: Item | undefined
  for (let pages = 0; pages < maxPages; pages += 1) {
    const start = from && { ExclusiveStartKey: from }
    const page = await retry(connection.retryPolicy, () =>
      connection.calls.query({ ...input, ...start }),
    )
    for (const item of page.Items ?? []) kept.push(keep(item))
    from = page.LastEvaluatedKey
    if (!from) return kept
  }
  throw internal(`a query of ${input.TableName} has more than ${maxPages} pages`)
}

/** Names fall unevenly, so each shard is first asked for its fair share and this many more. */
const slack = 4

interface ListPage {
  readonly states: readonly ObjectState[]
  readonly more: boolean
  readonly poisoned: readonly string[]
}

/**
 * Merges the sixteen shards in order. With a limit a shard is queried again only when the merge needs
 * its next item, so a page reads about as many items as it holds, and not the whole fleet.
 */
export async function listPage(
  connection: Connection,
  resource: string,
  page: PageRequest,
): Promise<ListPage> {
  const limit = page.limit ?? Number.POSITIVE_INFINITY
  const beyond = page.namespace !== undefined && pageStart(page) > endOf(page.namespace)
  if (beyond) return { states: [], more: false, poisoned: [] }
  const cursors = partitionsOf(resource).map((partition) => cursor(connection, partition, page))
  const states: ObjectState[] = []
  const poisoned: string[] = []
  for await (const { found, poisonedId } of merged(cursors)) {
    if (poisonedId !== undefined) poisoned.push(poisonedId)
    if (!found || hasExpired(found, connection.nowMs())) continue
    if (states.length === limit) return { states, more: true, poisoned }
    states.push(found)
  }
  return { states, more: false, poisoned }
}

interface Decoded {
  readonly sort: string
  readonly found?: ObjectState
  /** Set when it could not be decoded. */
  readonly poisonedId?: string
}

function decoded(item: Item, { trim }: PageRequest): Decoded {
  const sort = stringOf(item, 'sort')!
  try {
    const state = decodeObject(item)
    if (!trim) return { sort, found: state }
    const lean = { ...state.lean, object: trim(state.lean.object) }
    return { sort, found: { ...state, lean } }
  } catch (error) {
    if (!(error instanceof PoisonedItem)) throw error
    return { sort, poisonedId: error.id }
  }
}

interface Cursor {
  /** The shard's next item, queried if need be; undefined at its end. */
  head(): Promise<Decoded | undefined>
  advance(): void
}

async function* merged(cursors: readonly Cursor[]): AsyncIterable<Decoded> {
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

function smallest(heads: readonly (Decoded | undefined)[]): number {
  let found = -1
  for (const [at, item] of heads.entries()) {
    if (!item) continue
    if (found < 0 || item.sort < heads[found]!.sort) found = at
  }
  return found
}

function cursor(connection: Connection, partition: string, page: PageRequest): Cursor {
  let items: readonly Decoded[] = []
  let at = 0
  let from: Item | undefined
  let atEnd = false
  const input = shardQuery(connection, partition, page)
  const decode = (item: Item) => decoded(item, page)
  const refill = async () => {
    // Without a limit every item is needed: all pages of all shards are read at once.
    if (page.limit === undefined) {
      items = await queryEach(connection, input, decode)
      atEnd = true
      return
    }
    const start = from && { ExclusiveStartKey: from }
    const answer = await retry(connection.retryPolicy, () =>
      connection.calls.query({ ...input, ...start }),
    )
    items = (answer.Items ?? []).map(decode)
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
    ExpressionAttributeValues: { ':partition': stringValue(partition), ...range.values },
    ...(limit !== undefined && { Limit: Math.ceil(limit / objectShards) + slack }),
  }
}

/** After every key of the namespace (`0` follows `/`), and itself no key: BETWEEN may include it. */
const endOf = (namespace: string) => `${namespace}0`

interface Range {
  readonly clause: string
  readonly names: Record<string, string>
  readonly values: Record<string, Item[string]>
}

/** DynamoDB takes one condition on a sort key, so "in this namespace, after that name" is a range. */
function rangeOf(page: PageRequest): Range {
  const from = pageStart(page)
  if (page.namespace === undefined && !from) return { clause: '', names: {}, values: {} }
  const names = { '#sort': 'sort' }
  if (page.namespace === undefined)
    return { clause: ' AND #sort >= :from', names, values: { ':from': stringValue(from) } }
  const values = { ':from': stringValue(from), ':end': stringValue(endOf(page.namespace)) }
  return { clause: ' AND #sort BETWEEN :from AND :end', names, values }
}
