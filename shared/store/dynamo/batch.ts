/**
 * Many items by key, strongly consistent. DynamoDB may answer a batch in part; the rest is asked
 * for again.
 */
import { unavailable } from '../../kube/status-error.ts'
import { type Connection, steadily } from './connection.ts'
import type { Item } from './items.ts'

const batchLength = 100
/** Batches in flight together. */
const width = 8
const maxRounds = 10

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
    if (round === maxRounds) throw unavailable('the database answers only in part', 1)
    if (round > 0) await pause(connection, round)
    const request = { [table]: { Keys: wanted, ConsistentRead: true } }
    const answer = await steadily(connection, () =>
      connection.calls.batchGetItem({ RequestItems: request }),
    )
    found.push(...(answer.Responses?.[table] ?? []))
    wanted = answer.UnprocessedKeys?.[table]?.Keys ?? []
  }
  return found
}

/** What was left out was left out because the table is busy. */
function pause({ patience }: Connection, round: number): Promise<void> {
  return patience.sleep(patience.random() * 20 * 2 ** round)
}

function chunks<T>(all: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, at) =>
    all.slice(at * length, (at + 1) * length),
  )
}
