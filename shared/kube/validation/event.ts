/** Is this event told in the right place? An event lives in the namespace of what it is about. */
import type { Event } from '../objects.ts'
import { complaints, type FieldErrors, invalidValue, required } from './field-errors.ts'
import { type MetadataRules, validateMetadata, validateMetadataUpdate } from './metadata.ts'
import { byteLength, pathSegment, qualifiedName } from './names.ts'

const rules: MetadataRules = { namespaced: true, name: pathSegment, standardFinalizers: false }

const MAX_WORD_BYTES = 128
const MAX_MESSAGE_BYTES = 1024

export const validateEvent = (event: Event): FieldErrors => [
  ...validateMetadata(event.metadata, rules),
  ...validatePlace(event),
  ...validateNewStyle(event),
]

export const validateEventUpdate = (event: Event, old: Event): FieldErrors => [
  ...validateMetadataUpdate(event.metadata, old.metadata),
  ...validatePlace(event),
  ...validateNewStyle(event),
]

/**
 * Events about nodes, which have no namespace, are kept in `default`. The newer library may keep
 * them in `kube-system`, and what it tells of an object may stand in another namespace.
 */
function validatePlace({ involvedObject, metadata, eventTime }: Event): FieldErrors {
  const about = involvedObject?.namespace ?? ''
  if ((about || 'default') === metadata.namespace) return []
  if (eventTime && (about || metadata.namespace === 'kube-system')) return []
  return [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}

/** An event with an eventTime was written by the newer library and promises more. */
function validateNewStyle(event: Event): FieldErrors {
  if (!event.eventTime) return []
  const { reportingComponent = '', reportingInstance, action, reason, message } = event
  return [
    ...(reportingComponent
      ? complaints('reportingComponent', reportingComponent, qualifiedName(reportingComponent))
      : [required('reportingComponent')]),
    ...validateWord('reportingInstance', reportingInstance),
    ...validateWord('action', action),
    ...validateWord('reason', reason),
    ...validateLength('message', message, MAX_MESSAGE_BYTES),
  ]
}

const validateWord = (field: string, word: string | undefined): FieldErrors =>
  word ? validateLength(field, word, MAX_WORD_BYTES) : [required(field)]

const validateLength = (field: string, text: string | undefined, max: number): FieldErrors =>
  byteLength(text ?? '') > max
    ? [invalidValue(field, '', `can have at most ${max} characters`)]
    : []
