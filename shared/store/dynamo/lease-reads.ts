import type { LeaseState } from '../lease-state.ts'
import { keyText } from '../object-state.ts'
import type { Key } from '../ports.ts'
import { readItems } from './batch.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, sift } from './items.ts'
import { isGhost, leaseKey, leaseOf } from './lease-items.ts'

export async function findLease(connection: Connection, key: Key): Promise<LeaseState | undefined> {
  const { calls, tables } = connection
  const at = { TableName: tables.leases, Key: leaseKey(key), ConsistentRead: true }
  const { Item } = await steadily(connection, () => calls.getItem(at))
  return Item && !isGhost(Item) ? leaseOf(Item) : undefined
}

export async function readLeases(
  connection: Connection,
  keys: readonly Key[],
): Promise<readonly LeaseState[]> {
  const items = await readItems(connection, connection.tables.leases, keys.map(leaseKey))
  const found = sifted(connection, items, leaseOf)
  const byKey = new Map(found.map((state) => [keyText(state.key), state]))
  return keys.flatMap((key) => byKey.get(keyText(key)) ?? [])
}

/** Ghosts are no leases; what cannot be read is told and left out. */
export function sifted<T>(
  { poisoned }: Connection,
  items: readonly Item[],
  read: (item: Item) => T,
): T[] {
  return sift(
    items.filter((item) => !isGhost(item)),
    read,
    poisoned,
  )
}
