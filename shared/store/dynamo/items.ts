/** DynamoDB's attribute values, and what happens to an item that this version cannot decode. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type ServiceFault, StatusError } from '../../kube/status-error.ts'
import { schemaNumber } from '../tables.ts'

export type Item = Readonly<Record<string, AttributeValue>>

export const stringValue = (value: string): AttributeValue => ({ S: value })
export const numberValue = (value: number): AttributeValue => ({ N: String(value) })
export const jsonValue = (value: unknown): AttributeValue => ({ S: JSON.stringify(value) })

export const stringOf = (item: Item, name: string): string | undefined => item[name]?.S

export function numberOf(item: Item, name: string): number | undefined {
  const found = item[name]?.N
  return found === undefined ? undefined : Number(found)
}

export function jsonOf<T>(item: Item, name: string): T | undefined {
  const found = item[name]?.S
  return found === undefined ? undefined : (JSON.parse(found) as T)
}

/** Leaves out what is undefined. */
export function itemOf(values: Readonly<Record<string, AttributeValue | undefined>>): Item {
  const present = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as Item
}

/** SET for what has a value, REMOVE for what has none; each value is named after its attribute. */
export function updateOf(attributes: Readonly<Record<string, AttributeValue | undefined>>) {
  const values: Record<string, AttributeValue> = {}
  const sets: string[] = []
  const removes: string[] = []
  for (const [name, value] of Object.entries(attributes)) {
    if (value) {
      sets.push(`${name} = :${name}`)
      values[`:${name}`] = value
    } else removes.push(name)
  }
  const remove = removes.length > 0 ? ` REMOVE ${removes.join(', ')}` : ''
  return { expression: `SET ${sets.join(', ')}${remove}`, values }
}

/** An item that cannot be decoded. Lists and scans report it and leave it out; a single read fails. */
export class PoisonedItem extends StatusError {
  readonly id: string
  override readonly fault: ServiceFault = 'unreadable'

  constructor(id: string, why: string) {
    super(500, 'InternalError', `the stored ${id} cannot be read: ${why}`)
    this.id = id
  }
}

/** Throws PoisonedItem for what a newer version wrote, or what is broken. */
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

/** Decodes many items; poisoned ones are reported and left out. */
export function decodeAll<T>(
  items: readonly Item[],
  decode: (item: Item) => T,
  poisoned: (id: string) => void,
): T[] {
  return items.flatMap((item) => {
    try {
      return [decode(item)]
    } catch (error) {
      if (!(error instanceof PoisonedItem)) throw error
      poisoned(error.id)
      return []
    }
  })
}
