/**
 * Which records of the table's stream does the notifier need to see? Given to the event source, so
 * that the rest costs no invocation, and asked again in code, because local mode has no such
 * filter.
 */
import { announcedResources } from '../lifecycle/domain-events.ts'
import { leaseTakenPrefix } from './announcement.ts'
import { recordsPartition } from './tables.ts'

/** TTL deletes under this name. What lapsed is no news. */
export const ttlPrincipal = 'dynamodb.amazonaws.com'

const notByTtl = { userIdentity: { principalId: [{ exists: false }] } }

/** In Lambda's pattern language. A record passes when one of them matches. */
export const streamFilters: readonly object[] = [
  {
    ...notByTtl,
    dynamodb: {
      Keys: { partition: { S: announcedResources.map((name) => ({ prefix: `${name}#` })) } },
    },
  },
  {
    ...notByTtl,
    eventName: ['INSERT', 'MODIFY'],
    dynamodb: {
      Keys: { partition: { S: [recordsPartition] }, sort: { S: [{ prefix: leaseTakenPrefix }] } },
    },
  },
]
