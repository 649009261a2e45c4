/** A table read in parallel segments, page by page as the pages come. */
import type { ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { type Connection, steadily } from './connection.ts'
import type { Item } from './items.ts'

/** A page is 1 MB, about 2,000 leases; four readers keep a 100,000-lease table under a second. */
const segments = 4

export async function* scanPages(
  connection: Connection,
  input: ScanCommandInput,
): AsyncIterable<readonly Item[]> {
  const next = async (segment: number, from: Item | undefined) => {
    const page = await steadily(connection, () =>
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
  // A caller that stops early, or one segment that fails, leaves the others' failures unheard.
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
