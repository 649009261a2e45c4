/** Events: what happened to a node or a pod, as reported by a controller or agent. Kept an hour. */

import { ageOf, nameColumn, textColumn, wide } from '../columns.ts'
import {
  metadataWarnings,
  namespacedFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import type { Event } from '../objects.ts'
import { type Column, EVERY_VERB, type Resource } from '../resource.ts'
import { eventSchema } from './schema.ts'
import { validateEvent, validateEventUpdate } from './validation.ts'

/** Declared as text, though its cells are numbers: so does Kubernetes. */
const countColumn: Column<Event> = {
  ...wide(textColumn('Count', 'How often it was observed.', () => '')),
  cell: ({ series, count }) => (series ? (series.count ?? 0) : count || 1),
}

export const events: Resource<Event> = {
  group: '',
  version: 'v1',
  plural: 'events',
  singular: 'event',
  kind: 'Event',
  shortNames: ['ev'],
  categories: [],
  namespaced: true,
  verbs: EVERY_VERB,
  subresources: [],
  schema: eventSchema,
  columns: [
    textColumn<Event>('Last Seen', 'Time since this was last observed.', lastSeenOf),
    textColumn<Event>('Type', 'Normal or Warning.', (event) => event.type ?? ''),
    textColumn<Event>('Reason', 'Why it happened, in a word.', (event) => event.reason ?? ''),
    textColumn<Event>('Object', 'What it happened to.', targetOf),
    wide(
      textColumn<Event>(
        'Subobject',
        'The part of the object concerned.',
        (event) => event.involvedObject?.fieldPath ?? '',
      ),
    ),
    wide(textColumn<Event>('Source', 'Who tells it.', sourceOf)),
    textColumn<Event>('Message', 'What happened, in words.', (event) =>
      (event.message ?? '').trim(),
    ),
    wide(textColumn<Event>('First Seen', 'Time since this was first observed.', firstSeenOf)),
    countColumn,
    wide(nameColumn),
  ],
  selectable: selectableOf,
  createOnUpdate: true,
  unconditionalUpdate: true,

  // Clients read these as being there, null or empty when unknown.
  withDefaults: (event) => ({
    ...event,
    involvedObject: event.involvedObject ?? {},
    source: event.source ?? {},
    firstTimestamp: event.firstTimestamp ?? null,
    lastTimestamp: event.lastTimestamp ?? null,
    eventTime: event.eventTime ?? null,
    reportingComponent: event.reportingComponent ?? '',
    reportingInstance: event.reportingInstance ?? '',
  }),
  prepareForCreate: (event) => ({ ...event, metadata: prepareMetadataForCreate(event.metadata) }),
  prepareForUpdate: (event, old) => ({
    ...event,
    metadata: prepareMetadataForUpdate(event.metadata, old.metadata),
  }),
  validateCreate: validateEvent,
  validateUpdate: validateEventUpdate,
  warnings: metadataWarnings,
}

function firstSeenOf(event: Event, nowMs: number): string {
  return ageOf(event.firstTimestamp ?? event.eventTime, nowMs)
}

function lastSeenOf(event: Event, nowMs: number): string {
  if (event.series) return ageOf(event.series.lastObservedTime, nowMs)
  return event.lastTimestamp ? ageOf(event.lastTimestamp, nowMs) : firstSeenOf(event, nowMs)
}

function targetOf({ involvedObject }: Event): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase()
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind
}

function sourceOf({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || ''
  const host = source?.host || reportingInstance
  return host ? `${component}, ${host}` : component
}

function selectableOf(event: Event): Readonly<Record<string, string>> {
  const about = event.involvedObject ?? {}
  return {
    ...namespacedFields(event),
    'involvedObject.kind': about.kind ?? '',
    'involvedObject.namespace': about.namespace ?? '',
    'involvedObject.name': about.name ?? '',
    'involvedObject.uid': about.uid ?? '',
    'involvedObject.apiVersion': about.apiVersion ?? '',
    'involvedObject.resourceVersion': about.resourceVersion ?? '',
    'involvedObject.fieldPath': about.fieldPath ?? '',
    reason: event.reason ?? '',
    reportingComponent: event.reportingComponent ?? '',
    source: event.source?.component || event.reportingComponent || '',
    type: event.type ?? '',
  }
}
