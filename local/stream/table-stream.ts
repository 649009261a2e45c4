/** A table's stream through the SDK, with records in the shape in which Lambda hands them over. */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type _Record as SdkRecord,
} from '@aws-sdk/client-dynamodb-streams'
import type { StreamRecord } from '../../shared/store/stream-record.ts'

export interface TableStream {
  shards(): Promise<readonly StreamShard[]>
  /** An iterator behind a sequence number, or at the oldest record there is. */
  open(shard: string, after?: string): Promise<string>
  /** Without `next` the shard has ended. */
  read(iterator: string): Promise<StreamPage>
}

export interface StreamShard {
  readonly id: string
  readonly parent?: string
}

export interface StreamPage {
  readonly records: readonly StreamRecord[]
  readonly next?: string
}

/** As many as the event source hands to Lambda. */
const pageLength = 100
/** Of a hundred shards each. */
const maxShardPages = 100

export async function tableStream(
  client: DynamoDBStreamsClient,
  table: string,
): Promise<TableStream> {
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: table }))
  // A table whose stream was switched off and on has several. ARNs end in a time: take the last.
  const StreamArn = Streams.map((stream) => stream.StreamArn ?? '')
    .sort()
    .at(-1)
  if (!StreamArn) throw new Error(`the table ${table} has no stream`)
  return {
    shards: () => shardsOf(client, StreamArn),

    async open(ShardId, after) {
      const start = after
        ? { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after }
        : { ShardIteratorType: 'TRIM_HORIZON' as const }
      const command = new GetShardIteratorCommand({ StreamArn, ShardId, ...start })
      return (await client.send(command)).ShardIterator!
    },

    async read(ShardIterator) {
      const command = new GetRecordsCommand({ ShardIterator, Limit: pageLength })
      const { Records = [], NextShardIterator: next } = await client.send(command)
      return { records: Records.map(asInLambda), ...(next && { next }) }
    },
  }
}

async function shardsOf(
  client: DynamoDBStreamsClient,
  StreamArn: string,
): Promise<readonly StreamShard[]> {
  const found: StreamShard[] = []
  let ExclusiveStartShardId: string | undefined
  for (let page = 0; page < maxShardPages; page += 1) {
    const command = new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId })
    const { Shards = [], LastEvaluatedShardId } = (await client.send(command)).StreamDescription!
    for (const { ShardId: id = '', ParentShardId: parent } of Shards)
      found.push({ id, ...(parent && { parent }) })
    ExclusiveStartShardId = LastEvaluatedShardId
    if (!ExclusiveStartShardId) break
  }
  return found
}

/** The SDK gives a Date where Lambda gives seconds. */
function asInLambda({ dynamodb = {}, ...record }: SdkRecord): StreamRecord {
  const { ApproximateCreationDateTime: at, Keys, OldImage, NewImage, SequenceNumber } = dynamodb
  const { PrincipalId: principalId } = record.userIdentity ?? {}
  return {
    ...(record.eventName && { eventName: record.eventName }),
    ...(principalId && { userIdentity: { principalId } }),
    dynamodb: {
      ...(Keys && { Keys }),
      ...(OldImage && { OldImage }),
      ...(NewImage && { NewImage }),
      ...(SequenceNumber && { SequenceNumber }),
      ...(at && { ApproximateCreationDateTime: at.getTime() / 1_000 }),
    },
  }
}
