/**
 * Puts a node together from its two items. Most objects have one: a flag beside the object says
 * which have more.
 */
import { unavailable } from '../../kube/status-error.ts'
import { hasLapsed, keyText, type ObjectState, whole } from '../object-state.ts'
import type { Key, StoredObject } from '../ports.ts'
import { readItems } from './batch.ts'
import { type Connection, steadily } from './connection.ts'
import { type Item, jsonOf, numberOf, textOf } from './items.ts'
import { imagesKey, objectKey, objectOf } from './object-items.ts'

/** The images of one node are written anew between our two reads this often at most. */
const maxRounds = 5

export async function withImages(
  connection: Connection,
  states: readonly ObjectState[],
  round = 0,
): Promise<readonly StoredObject[]> {
  if (round === maxRounds) throw unavailable('a node changes too often, please try again', 1)
  const images = await imagesBeside(connection, states)
  const made = states.map(async (state) => {
    const complete = joined(state, images)
    if (complete) return [complete]
    // Written between the two reads: what goes together must be read again.
    const again = await findObject(connection, state.lean.resource, state.lean.key)
    return again ? withImages(connection, [again], round + 1) : []
  })
  return (await Promise.all(made)).flat()
}

/** Lean, as all objects are read first. */
export async function findObject(
  connection: Connection,
  resource: string,
  key: Key,
): Promise<ObjectState | undefined> {
  const { calls, tables, nowMs } = connection
  const at = { TableName: tables.objects, Key: objectKey(resource, key), ConsistentRead: true }
  const { Item } = await steadily(connection, () => calls.getItem(at))
  const found = Item && objectOf(Item)
  return found && !hasLapsed(found, nowMs()) ? found : undefined
}

async function imagesBeside(connection: Connection, states: readonly ObjectState[]) {
  const having = states.filter(({ lean }) => lean.imagesVersion !== undefined)
  const keys = having.map(({ lean: { resource, key } }) => imagesKey(resource, key))
  if (keys.length === 0) return new Map<string, Item>()
  const items = await readItems(connection, connection.tables.objects, keys)
  return new Map(items.map((item) => [textOf(item, 'sort')!, item]))
}

function joined(state: ObjectState, images: Map<string, Item>): StoredObject | undefined {
  const { lean } = state
  if (lean.imagesVersion === undefined) return whole({ lean })
  const item = images.get(keyText(lean.key))
  if (!item || numberOf(item, 'version') !== lean.imagesVersion) return undefined
  return whole({ lean, images: jsonOf<NonNullable<ObjectState['images']>>(item, 'images') ?? [] })
}
