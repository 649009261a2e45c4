import { describe, expect, it } from 'vitest'
import { leaseTakenPrefix } from '../../../shared/store/announcement.ts'
import {
  type Item,
  numberValue,
  PoisonedItem,
  stringValue,
} from '../../../shared/store/dynamo/items.ts'
import { objectItem, recordItem } from '../../../shared/store/dynamo/object-items.ts'
import type { StoredObject } from '../../../shared/store/ports.ts'
import { streamFilters, ttlPrincipal } from '../../../shared/store/stream-filter.ts'
import {
  isCandidate,
  itemIdOf,
  type StreamRecord,
  transitionOf,
} from '../../../shared/store/stream-record.ts'

const host: StoredObject = {
  resource: 'nodes',
  key: { namespace: '', name: 'host-1' },
  uid: 'u',
  version: 7,
  createdVersion: 5,
  fields: {},
  lean: true,
  object: { metadata: { name: 'host-1', resourceVersion: '7' } },
}

interface Written {
  readonly partition: string
  readonly sort?: string
  readonly eventName?: string
  readonly by?: string
}

function record({ partition, sort = '/x', eventName = 'MODIFY', by }: Written): StreamRecord {
  const userIdentity = { type: 'Service', principalId: by ?? '' }
  return {
    eventName,
    ...(by && { userIdentity }),
    dynamodb: { Keys: { partition: stringValue(partition), sort: stringValue(sort) } },
  }
}

const lock = `${leaseTakenPrefix}default/lock`

describe('which records may be news', () => {
  const cases: readonly (Written & { when: string; news: boolean; passes?: boolean })[] = [
    { when: 'a node changes', partition: 'nodes#3', news: true },
    { when: 'a pod is removed', partition: 'pods#3', eventName: 'REMOVE', news: true },
    { when: 'a zone appears', partition: 'zones#0', eventName: 'INSERT', news: true },
    { when: 'the fleet changes', partition: 'fleets#9', news: true },
    { when: 'a lease is taken', partition: 'records', sort: lock, news: true },
    {
      when: 'TTL removes a node',
      partition: 'nodes#3',
      eventName: 'REMOVE',
      by: ttlPrincipal,
      news: false,
      // The code alone tells: no announced object expires, so no invocation is wasted.
      passes: true,
    },
    {
      when: 'an announcement lapses',
      partition: 'records',
      sort: lock,
      eventName: 'REMOVE',
      by: ttlPrincipal,
      news: false,
    },
    {
      when: 'an announcement is dropped',
      partition: 'records',
      sort: lock,
      eventName: 'REMOVE',
      news: false,
    },
    { when: 'an event is written', partition: 'events#3', eventName: 'INSERT', news: false },
    { when: 'images change', partition: 'images#nodes#3', news: false },
    { when: 'a tombstone is set', partition: 'tombstones#nodes#3', news: false },
    { when: 'a cell changes', partition: 'cells#1', news: false },
    { when: 'another record changes', partition: 'records', sort: 'metrics', news: false },
  ]

  it.each(cases)('when $when: $news, by filter and by code', ({ news, passes, ...written }) => {
    expect(isCandidate(record(written))).toBe(news)
    const isPassed = streamFilters.some((pattern) => matches(pattern, record(written)))
    expect(isPassed).toBe(passes ?? news)
  })

  it('a record that says nothing is none', () => {
    expect(isCandidate({})).toBe(false)
  })

  it('the filters are within what an event source takes', () => {
    expect(streamFilters.length).toBeLessThanOrEqual(5)
    for (const pattern of streamFilters) expect(JSON.stringify(pattern).length).toBeLessThan(4_096)
  })
})

describe('reading a record', () => {
  const item = objectItem({ lean: host }, { attemptId: 'trace' })
  const dynamodb = { Keys: { partition: item.partition!, sort: item.sort! }, NewImage: item }

  it('gives back the object that was stored', () => {
    const OldImage = objectItem({ lean: { ...host, version: 6 } }, { attemptId: 'trace' })
    const read = transitionOf({
      dynamodb: { ...dynamodb, OldImage, ApproximateCreationDateTime: 3 },
    })
    expect(read).toMatchObject({
      kind: 'object',
      after: host,
      before: { version: 6 },
      seenAtMs: 3_000,
    })
  })

  it('gives back the lease that was taken', () => {
    const value = { namespace: 'default', name: 'lock', to: 'me' }
    const NewImage = recordItem({ name: lock, value, version: 7 }, 'trace')
    const Keys = { partition: NewImage.partition!, sort: NewImage.sort! }
    expect(transitionOf({ dynamodb: { Keys, NewImage } })).toEqual({
      kind: 'leaseTaken',
      taken: value,
    })
  })

  it('refuses what a newer version wrote', () => {
    const NewImage: Item = { ...item, schema: numberValue(99) }
    expect(() => transitionOf({ dynamodb: { ...dynamodb, NewImage } })).toThrow(PoisonedItem)
  })

  it('tells the items apart', () => {
    expect(itemIdOf({ dynamodb })).toBe(`${item.partition!.S} /host-1`)
  })
})

/** As much of Lambda's pattern language as the filters use. */
function matches(pattern: unknown, found: unknown): boolean {
  if (!Array.isArray(pattern))
    return Object.entries(pattern as object).every(([name, wanted]) =>
      matches(wanted, (found as Record<string, unknown> | undefined)?.[name]),
    )
  return pattern.some((rule: string | { exists?: boolean; prefix?: string }) => {
    if (typeof rule === 'string') return found === rule
    if (rule.exists !== undefined) return (found !== undefined) === rule.exists
    return typeof found === 'string' && rule.prefix !== undefined && found.startsWith(rule.prefix)
  })
}
