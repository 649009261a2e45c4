import { expect, it } from 'vitest'
import type { Positions } from '../../../local/stream/position.ts'
import { readStream } from '../../../local/stream/reader.ts'
import type { StreamShard, TableStream } from '../../../local/stream/table-stream.ts'
import { stringValue } from '../../../shared/store/dynamo/items.ts'
import type { StreamRecord } from '../../../shared/store/stream-record.ts'

function record(name: string, sequence: number): StreamRecord {
  const Keys = { partition: stringValue('nodes#1'), sort: stringValue(`/${name}`) }
  return { eventName: 'INSERT', dynamodb: { Keys, SequenceNumber: String(sequence) } }
}

interface Past {
  readonly shards: readonly StreamShard[]
  /** By shard; a shard that is not named here is still open and empty. */
  readonly ended: Readonly<Record<string, readonly StreamRecord[]>>
  /** Where nothing before this sequence number is left. */
  readonly trimmedTo?: number
}

/** One page a shard, and then it has ended. */
function pastStream({ shards, ended, trimmedTo = 0 }: Past): TableStream {
  return {
    shards: async () => shards,
    open: async (shard, after) => {
      if (after && Number(after) < trimmedTo)
        throw Object.assign(new Error('too old'), { name: 'TrimmedDataAccessException' })
      return `${shard} ${after ?? 0}`
    },
    read: async (iterator) => {
      const [shard = '', after] = iterator.split(' ')
      const records = ended[shard]?.filter(
        ({ dynamodb }) => Number(dynamodb!.SequenceNumber) > Number(after),
      )
      return records ? { records } : { records: [], next: iterator }
    },
  }
}

/** Reads until there is nothing more to do; says what was offered, and where it stands. */
async function readAll(stream: TableStream, known: Positions = {}) {
  const offered: string[] = []
  let positions = known
  const { promise: idle, resolve } = Promise.withResolvers<void>()
  const reader = readStream({
    connect: async () => stream,
    notify: async ({ Records }) => {
      offered.push(...Records.map(({ dynamodb }) => dynamodb!.Keys!.sort!.S!.slice(1)))
      return { batchItemFailures: [] }
    },
    positions: {
      load: async () => positions,
      save: async (at) => {
        positions = at
      },
    },
    sleep: async () => {
      resolve()
      await new Promise(setImmediate)
    },
    onError: (error) => offered.push(String(error)),
  })
  await idle
  await reader.stop()
  return { offered, positions }
}

const family: readonly StreamShard[] = [
  { id: 'child', parent: 'mother' },
  { id: 'mother', parent: 'long-gone' },
  { id: 'open', parent: 'child' },
]

it('reads parents before their children, even if it is told of the child first', async () => {
  const ended = { mother: [record('a', 1)], child: [record('a-again', 2)] }
  const { offered, positions } = await readAll(pastStream({ shards: family, ended }))
  expect(offered).toEqual(['a', 'a-again'])
  expect(positions).toEqual({ mother: 'end', child: 'end' })
})

it('does not read again what has ended', async () => {
  const ended = { mother: [record('a', 1)], child: [record('b', 2)] }
  const known = { mother: 'end' }
  const { offered } = await readAll(pastStream({ shards: family, ended }), known)
  expect(offered).toEqual(['b'])
})

it('takes what is left when its place is older than the stream', async () => {
  const ended = { mother: [record('b', 8)] }
  const stream = pastStream({ shards: [{ id: 'mother' }], ended, trimmedTo: 5 })
  const { offered } = await readAll(stream, { mother: '2' })
  expect(offered).toEqual(['b'])
})
