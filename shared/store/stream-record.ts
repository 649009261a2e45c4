/** What does a stream record say? Its images are decoded as stored items are. */
import type { TakenLease, Transition } from '../lifecycle/events/domain-event.ts'
import { announcedResources } from '../lifecycle/events/domain-events.ts'
import { leaseTakenPrefix } from './announcement.ts'
import { type Item, stringOf } from './dynamo/items.ts'
import { decodeObject, decodeRecord } from './dynamo/object-items.ts'
import { ttlPrincipal } from './stream-filter.ts'
import { recordsPartition } from './tables.ts'

/** The parts that are read of what Lambda hands over. */
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

/** The same for all stream records of one item, whose order must be kept. */
export function itemIdOf({ dynamodb }: StreamRecord): string {
  const { Keys = {} } = dynamodb ?? {}
  return `${stringOf(Keys, 'partition')} ${stringOf(Keys, 'sort')}`
}

export function streamRecordTimeMs({ dynamodb }: StreamRecord): number | undefined {
  const seconds = dynamodb?.ApproximateCreationDateTime
  return seconds === undefined ? undefined : seconds * 1_000
}

/** The same rule as `streamFilters`, in code; here removals by TTL are told apart, too. */
export function isCandidate({ eventName, userIdentity, dynamodb }: StreamRecord): boolean {
  if (userIdentity?.principalId === ttlPrincipal) return false
  const { Keys = {} } = dynamodb ?? {}
  const [resource = '', shard] = (stringOf(Keys, 'partition') ?? '').split('#')
  if (shard !== undefined) return announcedResources.includes(resource)
  const isAnnouncement = stringOf(Keys, 'sort')?.startsWith(leaseTakenPrefix) === true
  return resource === recordsPartition && isAnnouncement && eventName !== 'REMOVE'
}

/** For candidates only. Throws PoisonedItem for an image that this version cannot decode. */
export function transitionOf(record: StreamRecord): Transition {
  const { OldImage, NewImage, Keys = {} } = record.dynamodb ?? {}
  if (stringOf(Keys, 'partition') === recordsPartition)
    return { kind: 'leaseTaken', taken: decodeRecord<TakenLease>(NewImage ?? {}).value }
  const seenAtMs = streamRecordTimeMs(record)
  const now = NewImage && decodeObject(NewImage)
  return {
    kind: 'object',
    ...(OldImage && { before: decodeObject(OldImage).lean }),
    ...(now && { after: now.lean }),
    ...(now?.emits && { emits: now.emits }),
    ...(seenAtMs !== undefined && { seenAtMs }),
  }
}
