/** How objects are read; `commit.ts` writes them. */
import { tooManyRequests } from '../../kube/status-error.ts'
import { hasExpired, keyText, type ObjectState, parseKey, whole } from '../object-state.ts'
import type { Change, Depth, Key, Objects, StoredObject } from '../ports.ts'
import { changesIndex, feedsOf, podsByNodeIndex } from '../tables.ts'
import type { Connection } from './connection.ts'
import {
  decodeAll,
  type Item,
  jsonOf,
  numberOf,
  numberValue,
  stringOf,
  stringValue,
} from './items.ts'
import { decodeChange, decodeObject, imagesKey, objectKey } from './object-items.ts'
import { listPage, queryAll } from './queries.ts'
import { readItems } from './reads.ts'
import { retry } from './retry.ts'

export function dynamoObjects(connection: Connection): Objects {
  const { tables, nowMs, poisoned } = connection
  const live = (state: ObjectState) => !hasExpired(state, nowMs())

  const atDepth = async (states: readonly ObjectState[], depth: Depth) =>
    depth === 'lean' ? states.map(({ lean }) => lean) : withImages(connection, states)

  const read = async (resource: string, keys: readonly Key[], depth: Depth) => {
    const wanted = keys.map((key) => objectKey(resource, key))
    const items = await readItems(connection, tables.objects, wanted)
    const states = decodeAll(items, decodeObject, poisoned).filter(live)
    const byKey = new Map(states.map((state) => [keyText(state.lean.key), state]))
    const inOrder = keys.flatMap((key) => byKey.get(keyText(key)) ?? [])
    return atDepth(inOrder, depth)
  }

  return {
    async get(resource, key, depth = 'whole') {
      const found = await findObject(connection, resource, key)
      return found && (await atDepth([found], depth))[0]
    },

    read: (resource, keys, depth = 'whole') => read(resource, keys, depth),

    async list(resource, page) {
      const { states, more, poisoned: lost } = await listPage(connection, resource, page)
      for (const id of lost) poisoned(id)
      const items = await atDepth(states, page.depth ?? 'whole')
      return { items, more, poisoned: lost }
    },

    async podsOn(nodeName) {
      return read('pods', await podKeysOn(connection, nodeName), 'whole')
    },

    async countPodsOn(nodeName) {
      return (await podKeysOn(connection, nodeName)).length
    },

    async changes(resource, sinceVersion) {
      const feeds = feedsOf(resource).map((feed) => queryFeed(connection, feed, sinceVersion))
      const items: readonly Item[] = (await Promise.all(feeds)).flat()
      const nowMs = connection.nowMs()
      return decodeAll(items, decodeChange, poisoned)
        .filter((change) => !hasExpired(change, nowMs))
        .map(({ expiresAtMs: _lapse, ...change }): Change => change)
        .sort((one, other) => one.version - other.version)
    },
  }
}

async function podKeysOn(connection: Connection, nodeName: string): Promise<readonly Key[]> {
  const items = await queryAll(connection, {
    TableName: connection.tables.objects,
    IndexName: podsByNodeIndex.name,
    KeyConditionExpression: '#node = :node',
    ExpressionAttributeNames: { '#node': podsByNodeIndex.partition.name },
    ExpressionAttributeValues: { ':node': stringValue(nodeName) },
  })
  return items.map((item) => parseKey(stringOf(item, 'sort')!))
}

function queryFeed(connection: Connection, feed: string, since: number): Promise<Item[]> {
  return queryAll(connection, {
    TableName: connection.tables.objects,
    IndexName: changesIndex.name,
    KeyConditionExpression: '#feed = :feed AND #version >= :since',
    ExpressionAttributeNames: {
      '#feed': changesIndex.partition.name,
      '#version': changesIndex.sort.name,
    },
    ExpressionAttributeValues: { ':feed': stringValue(feed), ':since': numberValue(since) },
  })
}

/**
 * Joins a node with its images, which are an item of their own. Most objects have none:
 * `imagesVersion` says which do.
 */

/** How often the images of a node may change between our two reads before we give up. */
const maxRounds = 5

export async function withImages(
  connection: Connection,
  states: readonly ObjectState[],
  round = 0,
): Promise<readonly StoredObject[]> {
  if (round === maxRounds) throw tooManyRequests('a node changes too often, please try again', 1)
  const images = await imagesBeside(connection, states)
  const made = states.map(async (state) => {
    const complete = joined(state, images)
    if (complete) return [complete]
    // The images changed between the two reads: read the pair again.
    const again = await findObject(connection, state.lean.resource, state.lean.key)
    return again ? withImages(connection, [again], round + 1) : []
  })
  return (await Promise.all(made)).flat()
}

/** Lean: without its images. */
async function findObject(
  connection: Connection,
  resource: string,
  key: Key,
): Promise<ObjectState | undefined> {
  const { calls, tables, nowMs } = connection
  const at = { TableName: tables.objects, Key: objectKey(resource, key), ConsistentRead: true }
  const { Item } = await retry(connection.retryPolicy, () => calls.getItem(at))
  const found = Item && decodeObject(Item)
  return found && !hasExpired(found, nowMs()) ? found : undefined
}

async function imagesBeside(connection: Connection, states: readonly ObjectState[]) {
  const having = states.filter(({ lean }) => lean.imagesVersion !== undefined)
  const keys = having.map(({ lean: { resource, key } }) => imagesKey(resource, key))
  if (keys.length === 0) return new Map<string, Item>()
  const items = await readItems(connection, connection.tables.objects, keys)
  return new Map(items.map((item) => [stringOf(item, 'sort')!, item]))
}

function joined(state: ObjectState, images: Map<string, Item>): StoredObject | undefined {
  const { lean } = state
  if (lean.imagesVersion === undefined) return whole({ lean })
  const item = images.get(keyText(lean.key))
  if (!item || numberOf(item, 'version') !== lean.imagesVersion) return undefined
  return whole({ lean, images: jsonOf<NonNullable<ObjectState['images']>>(item, 'images') ?? [] })
}
