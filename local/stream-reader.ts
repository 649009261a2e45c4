/**
 * Reads the table's stream where no Lambda does: every shard in its order, parents before children,
 * from where it was left. What the notifier could not finish is offered again, and nothing of that
 * shard behind it before.
 */
import { isCandidate, type StreamRecord } from '../shared/store/stream-record.ts'
import { type PositionKeeper, type Positions, shardEnd } from './stream-position.ts'
import type { StreamPage, StreamShard, TableStream } from './table-stream.ts'

export interface StreamReaderOptions {
  /** Asked anew after every fault. */
  readonly connect: () => Promise<TableStream>
  readonly notify: (batch: { readonly Records: readonly StreamRecord[] }) => Promise<{
    readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
  }>
  readonly positions: PositionKeeper
  /** Ends early, without complaint, when the signal is raised. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** Told of every fault; the reader goes on. */
  readonly onFault?: (error: unknown) => void
}

export interface StreamReader {
  /** Finishes the batch in hand. */
  stop(): Promise<void>
}

const pollMs = 200
const faultPauseMs = 1_000
/** Shards come and go within hours; looking for new ones need not be part of every poll. */
const passesPerLook = 50

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

/**
 * A fault, be it a dead engine or a lapsed iterator, costs the memory of this run and nothing else.
 */
async function run(options: StreamReaderOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow(options, signal)
    } catch (error) {
      options.onFault?.(error)
      await options.sleep(faultPauseMs, signal)
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
    if (pass % passesPerLook === 0) shards = await stream.shards()
    let busy = false
    for (const shard of readable(shards, reading.positions))
      busy = (await readPage(reading, shard.id)) || busy
    if (!busy) await options.sleep(pollMs, signal)
  }
}

/**
 * Not those that are finished, nor those whose parent is not. A parent that is gone was read long
 * ago.
 */
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
  const finished = failed === undefined ? page.records : before(page.records, failed)
  const last = finished.at(-1)?.dynamodb?.SequenceNumber
  if (last) reading.positions = { ...reading.positions, [shard]: last }

  const ended = failed === undefined && !page.next
  if (ended) reading.positions = { ...reading.positions, [shard]: shardEnd }
  // Not for records of no interest: our own note of the position is one, and would call for the
  // next.
  if (ended || finished.some(isCandidate)) await options.positions.save(reading.positions)
  // After a failure the rest is read again from the stream, behind the last that is finished.
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
    // The stream keeps a day. What was written before and never read is gone; the rest is not.
    return await stream.read(await stream.open(shard))
  }
}

function before(records: readonly StreamRecord[], sequence: string): readonly StreamRecord[] {
  const at = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === sequence)
  return records.slice(0, Math.max(0, at))
}
