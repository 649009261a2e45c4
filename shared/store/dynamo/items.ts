/**
 * The vocabulary of stored items: how values are written, and what happens to an item this version
 * cannot read.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { StatusError } from '../../kube/status-error.ts'
import { schemaNumber } from '../tables.ts'

export type Item = Readonly<Record<string, AttributeValue>>

export const text = (value: string): AttributeValue => ({ S: value })
export const number = (value: number): AttributeValue => ({ N: String(value) })
export const json = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) })

export const textOf = (item: Item, name: string): string | undefined => item[name]?.S

export function numberOf(item: Item, name: string): number | undefined {
  const found = item[name]?.N
  return found === undefined ? undefined : Number(found)
}

export function jsonOf<T>(item: Item, name: string): T | undefined {
  const found = item[name]?.S
  return found === undefined ? undefined : (JSON.parse(found) as T)
}

/** Leaves out what is undefined, so that an item has only what it needs. */
export function itemOf(values: Readonly<Record<string, AttributeValue | undefined>>): Item {
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Item
}

/**
 * An item that cannot be read. One must not stop a sweep: lists catch it and count it, a lone read
 * fails.
 */
export class PoisonedItem extends StatusError {
  readonly id: string

  constructor(id: string, why: string) {
    super(500, 'InternalError', `the stored ${id} cannot be read: ${why}`)
    this.id = id
  }
}

/** Reads one item, or says it is poisoned: written by a newer version, or broken. */
export function readable<T>(id: string, item: Item, schemaName: string, read: () => T): T {
  const schema = numberOf(item, schemaName)
  if (schema === undefined || schema > schemaNumber)
    throw new PoisonedItem(id, `its schema is ${schema}, this version knows ${schemaNumber}`)
  try {
    return read()
  } catch (cause) {
    throw Object.assign(new PoisonedItem(id, String(cause)), { cause })
  }
}

/** Runs over many items; the poisoned ones are told and left out. */
export function sift<T>(
  items: readonly Item[],
  read: (item: Item) => T,
  poisoned: (id: string) => void,
): T[] {
  return items.flatMap((item) => {
    try {
      return [read(item)]
    } catch (error) {
      if (!(error instanceof PoisonedItem)) throw error
      poisoned(error.id)
      return []
    }
  })
}
