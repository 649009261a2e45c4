/**
 * Is this metadata legal, and may it follow the metadata that is stored? The same for every kind.
 */
import type { ObjectMeta } from '../objects.ts'
import {
  atLeastZero,
  complaints,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from './field-errors.ts'
import { validateManagedFields } from './managed-fields.ts'
import {
  asPrefix,
  byteLength,
  labelName,
  labelValue,
  type NameRule,
  qualifiedName,
} from './names.ts'
import { validateOwnerReferences } from './owner-references.ts'

export interface MetadataRules {
  readonly namespaced: boolean
  readonly name: NameRule
  /** Core kinds: a finalizer without a slash must be one that Kubernetes itself uses. */
  readonly standardFinalizers: boolean
}

const MAX_ANNOTATION_BYTES = 262_144
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']

export function validateMetadata(meta: ObjectMeta, rules: MetadataRules): FieldErrors {
  return [
    ...validateName(meta, rules.name),
    ...validateNamespace(meta.namespace, rules.namespaced),
    ...atLeastZero('metadata.generation', meta.generation),
    ...validateAttachments(meta),
    ...validateFinalizers(meta.finalizers ?? []),
    ...(rules.standardFinalizers ? validateBareFinalizers(meta.finalizers ?? []) : []),
  ]
}

/** What create and update both check. */
function validateAttachments(meta: ObjectMeta): FieldErrors {
  return [
    ...validateLabels(meta.labels ?? {}, 'metadata.labels'),
    ...validateAnnotations(meta.annotations ?? {}),
    ...validateOwnerReferences(meta.ownerReferences, 'metadata.ownerReferences'),
    ...validateManagedFields(meta.managedFields, 'metadata.managedFields'),
  ]
}

function validateName({ name, generateName }: ObjectMeta, rule: NameRule): FieldErrors {
  // The prefix is judged even where a name makes it superfluous, as in Kubernetes.
  const prefix = generateName
    ? complaints('metadata.generateName', generateName, asPrefix(rule)(generateName))
    : []
  if (name) return [...prefix, ...complaints('metadata.name', name, rule(name))]
  if (generateName) return prefix
  return [required('metadata.name', 'name or generateName is required')]
}

function validateNamespace(namespace: string | undefined, namespaced: boolean): FieldErrors {
  const field = 'metadata.namespace'
  if (!namespaced) return namespace ? [forbiddenField(field, 'not allowed on this type')] : []
  if (!namespace) return [required(field)]
  return complaints(field, namespace, labelName(namespace))
}

/** Errors name the whole map, whatever the key. */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  field: string,
): FieldErrors {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...complaints(field, key, qualifiedName(key)),
    ...complaints(field, value, labelValue(value)),
  ])
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldErrors {
  const field = 'metadata.annotations'
  const entries = Object.entries(annotations)
  // Keys are judged in lower case, so capitals in the prefix pass here though not in labels.
  const keys = entries.flatMap(([key]) => complaints(field, key, qualifiedName(key.toLowerCase())))
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  return size > MAX_ANNOTATION_BYTES ? [...keys, tooLong(field, MAX_ANNOTATION_BYTES)] : keys
}

function validateFinalizers(finalizers: readonly string[]): FieldErrors {
  const field = 'metadata.finalizers'
  const names = finalizers.flatMap((name) => complaints(field, name, qualifiedName(name)))
  const both = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
  const clash = 'finalizer orphan and foregroundDeletion cannot be both set'
  return both ? [...names, invalidValue(field, finalizers, clash)] : names
}

function validateBareFinalizers(finalizers: readonly string[]): FieldErrors {
  const why = 'name is neither a standard finalizer name nor is it fully qualified'
  return finalizers.flatMap((name, i) =>
    name.includes('/') || STANDARD_FINALIZERS.includes(name)
      ? []
      : [invalidValue(`metadata.finalizers[${i}]`, name, why)],
  )
}

// What prepareForUpdate did not put back and still differs, the client tried to change.
const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** Name, prefix and the form of finalizers were judged at creation and are not judged again. */
export function validateMetadataUpdate(meta: ObjectMeta, old: ObjectMeta): FieldErrors {
  const changed = IMMUTABLE.filter((member) => (meta[member] ?? '') !== (old[member] ?? ''))
  return [
    ...changed.map((m) => invalidValue(`metadata.${m}`, meta[m], 'field is immutable')),
    ...validateGeneration(meta, old),
    ...validateNoNewFinalizers(meta, old),
    ...validateAttachments(meta),
  ]
}

/** Core kinds hold a finalizer without a domain against every write, not only the first. */
export const validateCoreMetadataUpdate = (meta: ObjectMeta, old: ObjectMeta): FieldErrors => [
  ...validateMetadataUpdate(meta, old),
  ...validateBareFinalizers(meta.finalizers ?? []),
]

function validateGeneration(meta: ObjectMeta, old: ObjectMeta): FieldErrors {
  if ((meta.generation ?? 0) >= (old.generation ?? 0)) return []
  return [invalidValue('metadata.generation', meta.generation, 'must not be decremented')]
}

function validateNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta): FieldErrors {
  if (!old.deletionTimestamp) return []
  const known = old.finalizers ?? []
  const added = (meta.finalizers ?? []).filter((name) => !known.includes(name))
  if (added.length === 0) return []
  const list = added.map((name) => JSON.stringify(name)).join(', ')
  const why =
    'no new finalizers can be added if the object is being deleted, ' +
    `found new finalizers []string{${list}}`
  return [forbiddenField('metadata.finalizers', why)]
}

/** For kinds whose PUT must say which version it replaces. */
export const validateVersionGiven = (meta: ObjectMeta): FieldErrors =>
  meta.resourceVersion && meta.resourceVersion !== '0'
    ? []
    : [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]
