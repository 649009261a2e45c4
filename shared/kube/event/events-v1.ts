/**
 * Events as the group events.k8s.io shows them: the same stored Events, other names for some of
 * their fields. The newer recorders of Go and Rust write only here, and k9s reads only here.
 */

import { metadataField, typeFields } from '../meta/schema.ts'
import type { Event, KubeObject, ObjectReference } from '../objects.ts'
import type { Resource, StoredForm } from '../resource.ts'
import { field, int32, microTime, object, pointer, required, string, time } from '../schema.ts'
import { events } from './resource.ts'
import { eventSourceSchema, objectReferenceSchema } from './schema.ts'
import { validateEventV1, validateEventV1Update } from './validation.ts'

interface EventV1 extends KubeObject {
  readonly eventTime?: string | null
  readonly series?: Event['series']
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly action?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly note?: string
  readonly type?: string
  readonly deprecatedSource?: Event['source']
  readonly deprecatedFirstTimestamp?: string | null
  readonly deprecatedLastTimestamp?: string | null
  readonly deprecatedCount?: number
}

const EVENTS = 'io.k8s.api.events.v1'

const eventSeriesSchema = object(`${EVENTS}.EventSeries`, 'An event that keeps happening.', {
  count: required(1, int32, 'How often so far.'),
  lastObservedTime: required(2, microTime, 'When it last happened.'),
})

const eventV1Schema = object(
  `${EVENTS}.Event`,
  'Something that happened to an object, told for people and kept for an hour.',
  {
    ...typeFields,
    metadata: metadataField,
    eventTime: required(2, microTime, 'When it happened first, to the microsecond.'),
    series: pointer(3, eventSeriesSchema, 'Set when it keeps happening.'),
    reportingController: field(4, string, 'The controller that reported it.'),
    reportingInstance: field(5, string, 'Which instance of that controller.'),
    action: field(6, string, 'What was done or failed.'),
    reason: field(7, string, 'Why, in one word for programs.'),
    regarding: field(8, objectReferenceSchema, 'The object it is about.'),
    related: pointer(9, objectReferenceSchema, 'A second object it is about.'),
    note: field(10, string, 'What happened, in a sentence.'),
    type: field(11, string, 'Normal or Warning.'),
    deprecatedSource: field(12, eventSourceSchema, 'Who reported it, in the older style.'),
    deprecatedFirstTimestamp: field(13, time, 'When it happened first, in the older style.'),
    deprecatedLastTimestamp: field(14, time, 'When it happened last, in the older style.'),
    deprecatedCount: field(15, int32, 'How often it happened, in the older style.'),
  },
)

/** Name here -> name in a core Event. */
const NAMES: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
}
const CORE_NAMES = Object.fromEntries(Object.entries(NAMES).map(([name, core]) => [core, name]))

function renamed(object: object, names: Readonly<Record<string, string>>): object {
  const nameOf = (member: string) => (Object.hasOwn(names, member) ? names[member]! : member)
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [nameOf(key), value]))
}

/** Complete, as core Events are stored. */
const toCore = (event: EventV1): Event =>
  events.withDefaults({ ...renamed(event, NAMES), apiVersion: 'v1', kind: 'Event' } as Event)

function fromCore(event: Event): EventV1 {
  const { reportingController, reportingInstance, ...rest } = renamed(event, CORE_NAMES) as EventV1
  return {
    ...rest,
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    // Left out when empty, where a core Event shows them.
    ...(reportingController && { reportingController }),
    ...(reportingInstance && { reportingInstance }),
  }
}

const about = Object.keys(objectReferenceSchema.fields).map((member) => [
  `regarding.${member}`,
  `involvedObject.${member}`,
])

const form: StoredForm<EventV1> = {
  resource: events as unknown as Resource,
  fromStored: (object) => fromCore(object as Event),
  toStored: toCore,
  fieldNames: {
    ...Object.fromEntries(about),
    reportingController: 'reportingComponent',
    reason: 'reason',
    type: 'type',
    'metadata.name': 'metadata.name',
    'metadata.namespace': 'metadata.namespace',
  },
}

export const eventsV1: Resource<EventV1> = {
  ...(events as Omit<typeof events, 'rowConditions'>),
  group: 'events.k8s.io',
  schema: eventV1Schema,
  columns: events.columns.map((column) => ({
    ...column,
    cell: (event, nowMs) => column.cell(toCore(event), nowMs),
  })),
  selectable: (event) => events.selectable(toCore(event)),
  withDefaults: (event) => fromCore(toCore(event)),
  prepareForCreate: (event) => fromCore(events.prepareForCreate(toCore(event))),
  prepareForUpdate: (event, old) => fromCore(events.prepareForUpdate(toCore(event), toCore(old))),
  validateCreate: (event) => validateEventV1(toCore(event)),
  validateUpdate: (event, old) => validateEventV1Update(toCore(event), toCore(old)),
  warnings: (event) => events.warnings?.(toCore(event)) ?? [],
  storedForm: form,
}
