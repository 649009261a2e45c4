import { isRenewable, nodeLeaseNamespace, refusedRenewal, storedLease } from '../lease-state.ts'
import type { Key, Leases } from '../ports.ts'
import { readItems } from './batch.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, sift, text } from './items.ts'
import { beatAttributes, beatOf, isGhost, leaseKey, leaseOf } from './lease-items.ts'
import { createLease, removeLease, replaceLease } from './lease-writes.ts'
import { renew, type UpdateItem } from './renewal.ts'
import { scanPages } from './scan.ts'

/** `updateItem` is the hot path's own way to DynamoDB: the SDK's, or a request signed by hand. */
export function dynamoLeases(connection: Connection, updateItem: UpdateItem): Leases {
  const { calls, tables, poisoned } = connection

  const find = async (key: Key) => {
    const input = { TableName: tables.leases, Key: leaseKey(key), ConsistentRead: true }
    const { Item } = await steadily(connection, () => calls.getItem(input))
    return Item && !isGhost(Item) ? leaseOf(Item) : undefined
  }

  const sifted = <T>(items: readonly Item[], read: (item: Item) => T) =>
    sift(
      items.filter((item) => !isGhost(item)),
      read,
      poisoned,
    )

  return {
    async get(key) {
      const found = await find(key)
      return found && storedLease(found)
    },

    async read(keys) {
      const items = await readItems(connection, tables.leases, keys.map(leaseKey))
      return sifted(items, leaseOf).map(storedLease)
    },

    async renew(renewal) {
      if (isRenewable(renewal)) return renew(connection, updateItem, renewal)
      const found = await find(renewal.key)
      return (found && refusedRenewal(found, renewal)) ?? { kind: 'missing' }
    },

    create: (lease) => createLease(connection, lease),
    replace: (lease, believed) => replaceLease(connection, lease, believed),
    remove: (believed) => removeLease(connection, believed),

    async *scan(namespace) {
      const input = { TableName: tables.leases, ...inNamespace(namespace) }
      for await (const items of scanPages(connection, input))
        yield sifted(items, leaseOf).map(storedLease)
    },

    async *beats() {
      const input = {
        TableName: tables.leases,
        ...inNamespace(nodeLeaseNamespace),
        ProjectionExpression: beatAttributes.join(', '),
      }
      for await (const items of scanPages(connection, input)) yield sifted(items, beatOf)
    },
  }
}

function inNamespace(namespace: string | undefined) {
  if (namespace === undefined) return {}
  return {
    FilterExpression: 'begins_with(k, :namespace)',
    ExpressionAttributeValues: { ':namespace': text(`${namespace}/`) },
  }
}
