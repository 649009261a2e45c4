/** An Event: something that happened to an object, for people to read. */

import { metadataField, typeFields } from '../meta/schema.ts'
import { field, int32, microTime, object, pointer, required, string, time } from '../schema.ts'

const CORE = 'io.k8s.api.core.v1'

export const objectReferenceSchema = object(`${CORE}.ObjectReference`, 'Points at an object.', {
  kind: field(1, string, 'Its kind.'),
  namespace: field(2, string, 'Its namespace.'),
  name: field(3, string, 'Its name.'),
  uid: field(4, string, 'Its uid.'),
  apiVersion: field(5, string, 'Its group and version.'),
  resourceVersion: field(6, string, 'Its version when the reference was made.'),
  fieldPath: field(7, string, 'The part of it that is meant.'),
})

export const eventSourceSchema = object(`${CORE}.EventSource`, 'Where an event came from.', {
  component: field(1, string, 'The program.'),
  host: field(2, string, 'The node it runs on.'),
})

const eventSeriesSchema = object(`${CORE}.EventSeries`, 'An event that keeps happening.', {
  count: field(1, int32, 'How often so far.'),
  lastObservedTime: field(2, microTime, 'When it last happened.'),
})

export const eventSchema = object(
  `${CORE}.Event`,
  'Something that happened to an object, told for people and kept for an hour.',
  {
    ...typeFields,
    metadata: { ...metadataField, required: true },
    involvedObject: required(2, objectReferenceSchema, 'The object it is about.'),
    reason: field(3, string, 'Why, in one word for programs.'),
    message: field(4, string, 'What happened, in a sentence.'),
    source: field(5, eventSourceSchema, 'Who reported it.'),
    firstTimestamp: field(6, time, 'When it happened first.'),
    lastTimestamp: field(7, time, 'When it happened last.'),
    count: field(8, int32, 'How often it happened.'),
    type: field(9, string, 'Normal or Warning.'),
    eventTime: field(10, microTime, 'When it happened, to the microsecond.'),
    series: pointer(11, eventSeriesSchema, 'Set when it keeps happening.'),
    action: field(12, string, 'What was done or failed.'),
    related: pointer(13, objectReferenceSchema, 'A second object it is about.'),
    reportingComponent: field(14, string, 'The controller that reported it.'),
    reportingInstance: field(15, string, 'Which instance of that controller.'),
  },
)
