/** How items are read by key, many at once, and leases one by one or all of them by a scan. */
import type { ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { throttled } from '../../kube/status-error.ts'
import type { LeaseState } from '../lease-state.ts'
import { keyText } from '../object-state.ts'
import type { Key } from '../ports.ts'
import type { Connection } from './connection.ts'
import { decodeAll, type Item } from './items.ts'
import { decodeLease, isLeaseTombstone, leaseKey } from './lease-items.ts'
import { retry } from './retry.ts'

export async function findLease(connection: Connection, key: Key): Promise<LeaseState | undefined> {
  const { calls, tables } = connection
  const at = { TableName: tables.leases, Key: leaseKey(key), ConsistentRead: true }
  const { Item } = await retry(connection.retryPolicy, () => calls.getItem(at))
  return Item && !isLeaseTombstone(Item) ? decodeLease(Item) : undefined
}

export async function readLeases(
  connection: Connection,
  keys: readonly Key[],
): Promise<readonly LeaseState[]> {
  const items = await readItems(connection, connection.tables.leases, keys.map(leaseKey))
  const found = decodeLeases(connection, items, decodeLease)
  const byKey = new Map(found.map((state) => [keyText(state.key), state]))
  return keys.flatMap((key) => byKey.get(keyText(key)) ?? [])
}

/** Leaves out tombstones, and items that cannot be decoded, which are reported. */
export function decodeLeases<T>(
  { poisoned }: Connection,
  items: readonly Item[],
  decode: (item: Item) => T,
): T[] {
  const leases = items.filter((item) => !isLeaseTombstone(item))
  return decodeAll(leases, decode, poisoned)
}

/** A page is 1 MB, about 2,000 leases; four readers keep a 100,000-lease table under a second. */
const segments = 4

/** All segments in parallel, page by page in the order in which they arrive. */
export async function* scanPages(
  connection: Connection,
  input: ScanCommandInput,
): AsyncIterable<readonly Item[]> {
  const next = async (segment: number, from: Item | undefined) => {
    const page = await retry(connection.retryPolicy, () =>
      connection.calls.scan({
        ...input,
        Segment: segment,
        TotalSegments: segments,
        ...(from && { ExclusiveStartKey: from }),
      }),
    )
    return { segment, items: page.Items ?? [], after: page.LastEvaluatedKey }
  }
  const reading = new Map(
    Array.from({ length: segments }, (_, segment) => [segment, next(segment, undefined)]),
  )
  // When the caller stops early or one segment fails, the other promises are no longer awaited. Their
  // failures must not end the process as unhandled rejections.
  for (const page of reading.values()) page.catch(() => {})
  while (reading.size > 0) {
    const { segment, items, after } = await Promise.race(reading.values())
    reading.delete(segment)
    if (after) {
      const following = next(segment, after)
      following.catch(() => {})
      reading.set(segment, following)
    }
    if (items.length > 0) yield items
  }
}

const batchLength = 100
/** Batches in flight together. */
const width = 8
const maxRounds = 10

/** Strongly consistent. Keys that DynamoDB left unprocessed are asked for again. */
export async function readItems(
  connection: Connection,
  table: string,
  keys: readonly Item[],
): Promise<readonly Item[]> {
  // A batch may not name a key twice.
  const distinct = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
  const batches = chunks(distinct, batchLength)
  const found: Item[] = []
  const worker = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift())
      found.push(...(await readBatch(connection, table, batch)))
  }
  await Promise.all(Array.from({ length: Math.min(width, batches.length) }, worker))
  return found
}

async function readBatch(
  connection: Connection,
  table: string,
  batch: readonly Item[],
): Promise<readonly Item[]> {
  const found: Item[] = []
  let wanted = [...batch]
  for (let round = 0; wanted.length > 0; round += 1) {
    if (round === maxRounds) throw throttled('the database answers only in part', 1)
    if (round > 0) await pause(connection, round)
    const request = { [table]: { Keys: wanted, ConsistentRead: true } }
    const answer = await retry(connection.retryPolicy, () =>
      connection.calls.batchGetItem({ RequestItems: request }),
    )
    found.push(...(answer.Responses?.[table] ?? []))
    wanted = answer.UnprocessedKeys?.[table]?.Keys ?? []
  }
  return found
}

/** DynamoDB leaves keys unprocessed when the table is throttled. */
function pause({ retryPolicy }: Connection, round: number): Promise<void> {
  return retryPolicy.sleep(retryPolicy.random() * 20 * 2 ** round)
}

function chunks<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, at) =>
    all.slice(at * length, (at + 1) * length),
  )
}
