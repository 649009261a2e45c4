/** What does a record of the table's stream say? Read with the decoders the items are read with. */
import type { Transition } from '../lifecycle/announce/domain-event.ts'
import { announcedResources } from '../lifecycle/domain-events.ts'
import { type LeaseTaken, leaseTakenPrefix } from './announcement.ts'
import { type Item, textOf } from './dynamo/items.ts'
import { objectOf, recordOf } from './dynamo/object-items.ts'
import { ttlPrincipal } from './stream-filter.ts'
import { recordsPartition } from './tables.ts'

/** As Lambda hands it over; the little of it that is read. */
export interface StreamRecord {
  readonly eventName?: string
  readonly userIdentity?: { readonly principalId?: string } | null
  readonly dynamodb?: {
    readonly Keys?: Item
    readonly OldImage?: Item
    readonly NewImage?: Item
    readonly SequenceNumber?: string
    /** Seconds. */
    readonly ApproximateCreationDateTime?: number
  }
}

/** The same for every record of one item, so that their order can be kept. */
export function itemIdOf({ dynamodb }: StreamRecord): string {
  const { Keys = {} } = dynamodb ?? {}
  return `${textOf(Keys, 'partition')} ${textOf(Keys, 'sort')}`
}

export function writtenAtMs({ dynamodb }: StreamRecord): number | undefined {
  const seconds = dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1_000
}

/** What `streamFilters` say, in code: whether the record can be news at all. */
export function isCandidate({ eventName, userIdentity, dynamodb }: StreamRecord): boolean {
  if (userIdentity?.principalId === ttlPrincipal) return false
  const { Keys = {} } = dynamodb ?? {}
  const [resource = '', shard] = (textOf(Keys, 'partition') ?? '').split('#')
  if (shard !== undefined) return announcedResources.includes(resource)
  const isAnnouncement = textOf(Keys, 'sort')?.startsWith(leaseTakenPrefix) === true
  return resource === recordsPartition && isAnnouncement && eventName !== 'REMOVE'
}

/** Throws PoisonedItem for an image this version cannot read. Ask only about candidates. */
export function transitionOf(record: StreamRecord): Transition {
  const { OldImage, NewImage, Keys = {} } = record.dynamodb ?? {}
  if (textOf(Keys, 'partition') === recordsPartition)
    return { kind: 'leaseTaken', taken: recordOf<LeaseTaken>(NewImage ?? {}).value }
  const seenAtMs = writtenAtMs(record)
  return {
    kind: 'object',
    ...(OldImage && { before: objectOf(OldImage).lean }),
    ...(NewImage && { after: objectOf(NewImage).lean }),
    ...(seenAtMs !== undefined && { seenAtMs }),
  }
}
