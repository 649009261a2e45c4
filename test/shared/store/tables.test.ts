import { describe, expect, it } from 'vitest'
import { fnv1a } from '../../../shared/kube/fnv.ts'
import {
  feedPartition,
  feedsOf,
  objectPartition,
  objectShards,
  partitionsOf,
  tableNames,
} from '../../../shared/store/tables.ts'

describe('shards', () => {
  it.each([
    { text: '', value: 0x811c9dc5 },
    { text: 'a', value: 0xe40c292c },
    { text: 'foobar', value: 0xbf9cf968 },
  ])('come from FNV-1a, which may never change: "$text"', ({ text, value }) => {
    expect(fnv1a(text)).toBe(value)
  })

  it('take names evenly', () => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 16_000; n += 1) {
      const partition = objectPartition('nodes', `/node-${n}`)
      counts.set(partition, (counts.get(partition) ?? 0) + 1)
    }
    expect([...counts.keys()].sort()).toEqual([...partitionsOf('nodes')].sort())
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(16_000 / objectShards / 1.3)
      expect(count).toBeLessThan((16_000 / objectShards) * 1.3)
    }
  })

  it('of the feed are those that are read', () => {
    expect(feedsOf('pods')).toContain(feedPartition('pods', 'default/p'))
  })
})

it('gives each stage tables of its own', () => {
  expect(tableNames('leasehold-test')).toEqual({
    leases: 'leasehold-test-leases',
    objects: 'leasehold-test-objects',
  })
})
