/**
 * The same news for people who use kubectl: a core/v1 Event. The name follows from the id, so that
 * telling it twice changes nothing.
 */
import { createHash } from 'node:crypto'
import { fnv1a } from '../../kube/fnv.ts'
import type { Event } from '../../kube/objects.ts'
import { events } from '../../kube/resources/events.ts'
import { wordsFor } from './core-words.ts'
import type { DomainEvent } from './domain-event.ts'

export const CORE_EVENT_KEPT_MS = 60 * 60 * 1_000

const COMPONENT = 'leasehold'
/** Leaves room for the suffix within what a path segment and a table key take. */
const MAX_NAME_LENGTH = 200

export function coreEvent(event: DomainEvent): Event {
  const { object, version, stage } = event.detail
  const { component = COMPONENT, ...words } = wordsFor(event)
  const stem = object.name.slice(0, MAX_NAME_LENGTH)
  return events.withDefaults({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${stem}.${version.toString(16)}${fnv1a(event.id)}`,
      // Things without a namespace are told about in `default`.
      namespace: object.namespace ?? 'default',
      uid: uidFrom(event.id),
      creationTimestamp: event.time,
    },
    involvedObject: object,
    ...words,
    source: { component },
    firstTimestamp: event.time,
    lastTimestamp: event.time,
    count: 1,
    reportingComponent: COMPONENT,
    reportingInstance: stage,
  })
}

/** A name-based uuid (version 8, RFC 9562), so that a repeat is the same object. */
function uidFrom(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return [...groups, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}
