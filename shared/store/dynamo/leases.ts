import { isRenewable, nodeLeaseNamespace, refusedRenewal, storedLease } from '../lease-state.ts'
import type { Leases } from '../ports.ts'
import type { Connection } from './connection.ts'
import { text } from './items.ts'
import { beatAttributes, beatOf, leaseOf } from './lease-items.ts'
import { findLease, readLeases, sifted } from './lease-reads.ts'
import { createLease, removeLease, replaceLease } from './lease-writes.ts'
import { renew } from './renewal.ts'
import { scanPages } from './scan.ts'

export function dynamoLeases(connection: Connection): Leases {
  const { leases } = connection.tables

  return {
    async get(key) {
      const found = await findLease(connection, key)
      return found && storedLease(found)
    },

    async read(keys) {
      return (await readLeases(connection, keys)).map(storedLease)
    },

    async renew(renewal) {
      if (isRenewable(renewal)) return renew(connection, renewal)
      const found = await findLease(connection, renewal.key)
      return (found && refusedRenewal(found, renewal)) ?? { kind: 'missing' }
    },

    create: (lease) => createLease(connection, lease),
    replace: (lease, believed) => replaceLease(connection, lease, believed),
    remove: (believed) => removeLease(connection, believed),

    async *scan(namespace) {
      const input = { TableName: leases, ...inNamespace(namespace) }
      for await (const items of scanPages(connection, input))
        yield sifted(connection, items, leaseOf).map(storedLease)
    },

    async *beats() {
      const input = {
        TableName: leases,
        ...inNamespace(nodeLeaseNamespace),
        ProjectionExpression: beatAttributes.join(', '),
      }
      for await (const items of scanPages(connection, input))
        yield sifted(connection, items, beatOf)
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
