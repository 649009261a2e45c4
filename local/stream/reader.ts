/**
 * Reads the table's stream as Lambda's event source does: each shard in order, parents before
 * children, from the stored position. What the notifier could not handle is offered again before
 * anything later of that shard.
 */
import { isCandidate, type StreamRecord } from '../../shared/store/stream-record.ts'
import { type PositionStore, type Positions, shardEnd } from './position.ts'
import type { StreamPage, StreamShard, TableStream } from './table-stream.ts'

export interface StreamReaderOptions {
  /** Called again after every error. */
  readonly connect: () => Promise<TableStream>
  readonly notify: (batch: { readonly Records: readonly StreamRecord[] }) => Promise<{
    readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
  }>
  readonly positions: PositionStore
  /** Resolves early when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Told of every error; the reader goes on. */
  readonly onError?: (error: unknown) => void
}

export interface StreamReader {
  /** Finishes the current batch. */
  stop(): Promise<void>
}

const pollMs = 200
const errorPauseMs = 1_000
/** Shards live for hours: they are listed again only every so many passes. */
const passesPerListing = 50

export function readStream(options: StreamReaderOptions): StreamReader {
  const stopping = new AbortController()
  const done = run(options, stopping.signal)
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

/** After an error (engine gone, iterator expired) it starts again from the stored position. */
async function run(options: StreamReaderOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(options, signal)
    } catch (error) {
      options.onError?.(error)
      await options.sleep(errorPauseMs, signal)
    }
  }
}

interface Reading {
  readonly options: StreamReaderOptions
  readonly stream: TableStream
  readonly iterators: Map<string, string>
  positions: Positions
}

async function follow(options: StreamReaderOptions, signal: AbortSignal): Promise<void> {
  const stream = await options.connect()
  const positions = await options.positions.load()
  const reading: Reading = { options, stream, iterators: new Map(), positions }
  let shards: readonly StreamShard[] = []
  for (let pass = 0; !signal.aborted; pass += 1) {
    if (pass % passesPerListing === 0) shards = await stream.shards()
    let busy = false
    for (const shard of readable(shards, reading.positions))
      busy = (await readPage(reading, shard.id)) || busy
    if (!busy) await options.sleep(pollMs, signal)
  }
}

/** Neither finished shards nor those whose parent is unfinished. A parent not listed was read. */
function readable(shards: readonly StreamShard[], positions: Positions): readonly StreamShard[] {
  const open = new Set(shards.map(({ id }) => id).filter((id) => positions[id] !== shardEnd))
  return shards.filter(({ id, parent }) => open.has(id) && !(parent && open.has(parent)))
}

/** Whether more may be waiting: then the next page is read without a pause. */
async function readPage(reading: Reading, shard: string): Promise<boolean> {
  const { options, iterators } = reading
  const page = await pageAt(reading, shard)
  const { batchItemFailures } = await options.notify({ Records: page.records })
  const failed = batchItemFailures[0]?.itemIdentifier
  const handled = failed === undefined ? page.records : before(page.records, failed)
  const last = handled.at(-1)?.dynamodb?.SequenceNumber
  if (last) reading.positions = { ...reading.positions, [shard]: last }

  const ended = failed === undefined && !page.next
  if (ended) reading.positions = { ...reading.positions, [shard]: shardEnd }
  // Not after records of no interest: this save is itself such a record, and would cause the next.
  if (ended || handled.some(isCandidate)) await options.positions.save(reading.positions)
  // After a failure the rest is read again from the stream, behind the last handled record.
  if (failed === undefined && page.next) iterators.set(shard, page.next)
  else iterators.delete(shard)
  return failed === undefined && page.records.length > 0
}

async function pageAt(reading: Reading, shard: string): Promise<StreamPage> {
  const { stream, iterators, positions } = reading
  try {
    const iterator = iterators.get(shard) ?? (await stream.open(shard, positions[shard]))
    return await stream.read(iterator)
  } catch (error) {
    if ((error as Error).name !== 'TrimmedDataAccessException') throw error
    // The stream keeps a day. Older records are lost; reading goes on at the oldest there is.
    return await stream.read(await stream.open(shard))
  }
}

function before(records: readonly StreamRecord[], sequence: string): readonly StreamRecord[] {
  const at = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === sequence)
  return records.slice(0, Math.max(0, at))
}
