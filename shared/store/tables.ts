/**
 * What do the tables look like? Names, keys, indexes, TTL and stream in one place, without any SDK:
 * local mode creates the tables from it, the CDK deploys them from it, so table and code cannot
 * disagree.
 */

import { fnv1a } from '../kube/fnv.ts'

export const schemaNumber = 1

export interface TableNames {
  readonly leases: string
  readonly objects: string
}

/** A stage's two tables, so that two stages can live in one account. */
export const tableNames = (prefix: string): TableNames => ({
  leases: `${prefix}-leases`,
  objects: `${prefix}-objects`,
})

export interface KeyAttribute {
  readonly name: string
  readonly type: 'S' | 'N'
}

export interface IndexShape {
  readonly name: string
  readonly partition: KeyAttribute
  readonly sort: KeyAttribute
  /** Empty: KEYS_ONLY. */
  readonly projected: readonly string[]
}

export interface TableShape {
  readonly partition: KeyAttribute
  readonly sort?: KeyAttribute
  readonly indexes: readonly IndexShape[]
  /** Old and new image of every change. */
  readonly stream: boolean
  /** The attribute with the second after which DynamoDB may delete an item. */
  readonly ttl?: string
}

/** No index and no stream: every beat would pay for them. */
export const leasesTable: TableShape = {
  partition: { name: 'k', type: 'S' },
  indexes: [],
  stream: false,
}

/**
 * Watch and deltas: what changed since a version, with enough to answer selectors without reading
 * the object.
 */
export const changesIndex: IndexShape = {
  name: 'changes',
  partition: { name: 'feed', type: 'S' },
  sort: { name: 'version', type: 'N' },
  projected: ['schema', 'uid', 'labels', 'fields', 'before', 'createdVersion', 'deleted', 'ttl'],
}

/** Only pods that have a node are in it; a pod's status moves without touching it. */
export const podsByNodeIndex: IndexShape = {
  name: 'pods-by-node',
  partition: { name: 'node', type: 'S' },
  sort: { name: 'sort', type: 'S' },
  projected: [],
}

export const objectsTable: TableShape = {
  partition: { name: 'partition', type: 'S' },
  sort: { name: 'sort', type: 'S' },
  indexes: [changesIndex, podsByNodeIndex],
  stream: true,
  ttl: 'ttl',
}

/** A partition takes a thousand writes a second: marking a whole fleet needs more. */
export const objectShards = 16
const feedShards = 8

/** All records share one partition: they are few. */
export const recordsPartition = 'records'

export const objectPartition = (resource: string, key: string) =>
  `${resource}#${fnv1a(key) % objectShards}`

/** Images and tombstones are sharded as their objects are. */
export const imagesPartition = (resource: string, key: string) =>
  `images#${objectPartition(resource, key)}`

export const tombstonePartition = (resource: string, key: string) =>
  `tombstones#${objectPartition(resource, key)}`

export const feedPartition = (resource: string, key: string) =>
  `${resource}#${fnv1a(key) % feedShards}`

export const partitionsOf = (resource: string) =>
  Array.from({ length: objectShards }, (_, shard) => `${resource}#${shard}`)

export const feedsOf = (resource: string) =>
  Array.from({ length: feedShards }, (_, shard) => `${resource}#${shard}`)
