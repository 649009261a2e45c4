/** May this Event be stored? It lives in the namespace of the object it is about. */

import { type FieldErrors, invalidValue, invalidValues, requiredValue } from '../field-errors.ts'
import { deepEqual } from '../json.ts'
import { byteLength, pathSegment, qualifiedName, subdomainName } from '../meta/names.ts'
import { type MetadataRules, validateMetadata, validateMetadataUpdate } from '../meta/validation.ts'
import type { Event } from '../objects.ts'

const rules: MetadataRules = { namespaced: true, name: pathSegment, standardFinalizers: false }

const MAX_WORD_BYTES = 128
const MAX_MESSAGE_BYTES = 1024

export const validateEvent = (event: Event): FieldErrors => [
  ...validateMetadata(event.metadata, rules),
  ...validateEventNamespace(event),
  ...validateNewStyle(event),
]

export const validateEventUpdate = (event: Event, old: Event): FieldErrors => [
  ...validateMetadataUpdate(event.metadata, old.metadata),
  ...validateEventNamespace(event),
  ...validateNewStyle(event),
]

/** Through events.k8s.io: the newer style alone, and none of the fields it replaces. */
export const validateEventV1 = (event: Event): FieldErrors => [
  ...validateMetadata(event.metadata, { ...rules, name: subdomainName }),
  ...validateEventNamespace(event),
  ...validateNewStyle(event, 'reportingController'),
  ...validateSeries(event),
  ...(event.eventTime ? [] : [requiredValue('eventTime')]),
  ...(event.type === 'Normal' || event.type === 'Warning'
    ? []
    : [invalidValue('type', '', `has invalid value: ${event.type ?? ''}`)]),
  ...REPLACED.filter((field) => isSet(event[field])).map((field) =>
    invalidValue(field, '', 'needs to be unset'),
  ),
]

const REPLACED = ['firstTimestamp', 'lastTimestamp', 'count', 'source'] as const

const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(Boolean) : !!value

/** Only the series may grow: what happened once has happened. */
export const validateEventV1Update = (event: Event, old: Event): FieldErrors => [
  ...validateMetadataUpdate(event.metadata, old.metadata),
  ...validateEventNamespace(event),
  ...validateNewStyle(event, 'reportingController'),
  ...(deepEqual(event.series, old.series) ? [] : validateSeries(event)),
  ...FIXED.filter(([member]) => !deepEqual(event[member] ?? null, old[member] ?? null)).map(
    ([member, field = member]) => invalidValue(field, event[member], 'field is immutable'),
  ),
]

/** With the name that errors call it by, where it has another one. */
const FIXED: readonly (readonly [keyof Event, string?])[] = [
  ['involvedObject'],
  ['reason'],
  ['message'],
  ['source'],
  ['firstTimestamp'],
  ['lastTimestamp'],
  ['count'],
  ['type'],
  ['eventTime'],
  ['action'],
  ['related'],
  ['reportingComponent', 'reportingController'],
  ['reportingInstance'],
]

function validateSeries({ series }: Event): FieldErrors {
  if (!series) return []
  return [
    ...((series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [requiredValue('series.lastObservedTime')]),
  ]
}

/**
 * Events about nodes, which have no namespace, are kept in `default`. Those of the newer library may
 * also be in `kube-system`, or in another namespace than their object.
 */
function validateEventNamespace({ involvedObject, metadata, eventTime }: Event): FieldErrors {
  const namespace = involvedObject?.namespace ?? ''
  if ((namespace || 'default') === metadata.namespace) return []
  if (eventTime && (namespace || metadata.namespace === 'kube-system')) return []
  return [invalidValue('involvedObject.namespace', namespace, 'does not match event.namespace')]
}

/** An Event with an eventTime comes from the newer library, and more of its fields are required. */
function validateNewStyle(event: Event, reporterField = 'reportingComponent'): FieldErrors {
  if (!event.eventTime) return []
  const { reportingComponent: reporter = '', reportingInstance, action, reason, message } = event
  return [
    ...(reporter
      ? invalidValues(reporterField, reporter, qualifiedName(reporter))
      : [requiredValue(reporterField)]),
    ...validateWord('reportingInstance', reportingInstance),
    ...validateWord('action', action),
    ...validateWord('reason', reason),
    ...validateLength('message', message, MAX_MESSAGE_BYTES),
  ]
}

const validateWord = (field: string, word: string | undefined): FieldErrors =>
  word ? validateLength(field, word, MAX_WORD_BYTES) : [requiredValue(field)]

const validateLength = (field: string, text: string | undefined, max: number): FieldErrors =>
  byteLength(text ?? '') > max
    ? [invalidValue(field, '', `can have at most ${max} characters`)]
    : []
