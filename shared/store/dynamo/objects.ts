import { hasLapsed, keyText, type ObjectState, parseKey } from '../object-state.ts'
import type { Change, Depth, Key, Objects } from '../ports.ts'
import { feedsOf, podsByNodeIndex } from '../tables.ts'
import { readItems } from './batch.ts'
import type { Connection } from './connection.ts'
import { findObject, withImages } from './images.ts'
import { type Item, sift, text, textOf } from './items.ts'
import { listed } from './list.ts'
import { changeFrom, objectKey, objectOf } from './object-items.ts'
import { queryAll, queryFeed } from './query.ts'

export function dynamoObjects(connection: Connection): Objects {
  const { tables, nowMs, poisoned } = connection
  const live = (state: ObjectState) => !hasLapsed(state, nowMs())

  const atDepth = async (states: readonly ObjectState[], depth: Depth) =>
    depth === 'lean' ? states.map(({ lean }) => lean) : withImages(connection, states)

  const read = async (resource: string, keys: readonly Key[], depth: Depth) => {
    const wanted = keys.map((key) => objectKey(resource, key))
    const items = await readItems(connection, tables.objects, wanted)
    const states = sift(items, objectOf, poisoned).filter(live)
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
      const { states, more, poisoned: lost } = await listed(connection, resource, page)
      for (const id of lost) poisoned(id)
      const items = await atDepth(states, page.depth ?? 'whole')
      return { items, more, poisoned: lost }
    },

    async podsOn(nodeName) {
      const items = await queryAll(connection, {
        TableName: tables.objects,
        IndexName: podsByNodeIndex.name,
        KeyConditionExpression: '#node = :node',
        ExpressionAttributeNames: { '#node': podsByNodeIndex.partition.name },
        ExpressionAttributeValues: { ':node': text(nodeName) },
      })
      const keys = items.map((item) => parseKey(textOf(item, 'sort')!))
      return read('pods', keys, 'whole')
    },

    async changes(resource, sinceVersion) {
      const feeds = feedsOf(resource).map((feed) => queryFeed(connection, feed, sinceVersion))
      const items: readonly Item[] = (await Promise.all(feeds)).flat()
      const nowMs = connection.nowMs()
      return sift(items, changeFrom, poisoned)
        .filter((change) => !hasLapsed(change, nowMs))
        .map(({ expiresAtMs: _lapse, ...change }): Change => change)
        .sort((one, other) => one.version - other.version)
    },
  }
}
