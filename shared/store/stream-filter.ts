/**
 * Which stream records does the notifier need? Given to the event source mapping, so that other
 * records cost no invocation; local mode has no such filter and asks `isCandidate` alone.
 */
import { announcedResources } from '../lifecycle/events/domain-events.ts'
import { leaseTakenPrefix } from './announcement.ts'
import { recordsPartition } from './tables.ts'

/** Deletions by TTL have this principal. They are not announced. */
export const ttlPrincipal = 'dynamodb.amazonaws.com'

/**
 * Lambda's filter patterns. A stream record passes when one of them matches. They do not ask who
 * wrote: how a pattern treats the absent `userIdentity` of every other write is not documented. No
 * announced object expires, so the code's own check costs nothing.
 */
export const streamFilters: readonly object[] = [
  {
    dynamodb: {
      Keys: { partition: { S: announcedResources.map((name) => ({ prefix: `${name}#` })) } },
    },
  },
  {
    eventName: ['INSERT', 'MODIFY'],
    dynamodb: {
      Keys: { partition: { S: [recordsPartition] }, sort: { S: [{ prefix: leaseTakenPrefix }] } },
    },
  },
]
