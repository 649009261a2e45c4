/** May this metadata be stored, and may it replace what is stored? The same for every kind. */

import {
  atLeastZero,
  type FieldErrors,
  forbiddenField,
  invalidValue,
  invalidValues,
  requiredValue,
  tooLong,
} from '../field-errors.ts'
import type { ObjectMeta, OwnerReference } from '../objects.ts'
import { validateManagedFields } from './managed-fields.ts'
import {
  asPrefix,
  byteLength,
  labelName,
  labelValue,
  type NameRule,
  qualifiedName,
} from './names.ts'

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
  // The prefix is checked even where a name makes it superfluous, as in Kubernetes.
  const prefix = generateName
    ? invalidValues('metadata.generateName', generateName, asPrefix(rule)(generateName))
    : []
  if (name) return [...prefix, ...invalidValues('metadata.name', name, rule(name))]
  if (generateName) return prefix
  return [requiredValue('metadata.name', 'name or generateName is required')]
}

function validateNamespace(namespace: string | undefined, namespaced: boolean): FieldErrors {
  const field = 'metadata.namespace'
  if (!namespaced) return namespace ? [forbiddenField(field, 'not allowed on this type')] : []
  if (!namespace) return [requiredValue(field)]
  return invalidValues(field, namespace, labelName(namespace))
}

/** Errors name the whole map, whatever the key. */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  field: string,
): FieldErrors {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidValues(field, key, qualifiedName(key)),
    ...invalidValues(field, value, labelValue(value)),
  ])
}

function validateAnnotations(annotations: Readonly<Record<string, string>>): FieldErrors {
  const field = 'metadata.annotations'
  const entries = Object.entries(annotations)
  // Keys are checked in lower case, so capitals in the prefix pass here though not in labels.
  const keys = entries.flatMap(([key]) =>
    invalidValues(field, key, qualifiedName(key.toLowerCase())),
  )
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0)
  return size > MAX_ANNOTATION_BYTES ? [...keys, tooLong(field, MAX_ANNOTATION_BYTES)] : keys
}

function validateFinalizers(finalizers: readonly string[]): FieldErrors {
  const field = 'metadata.finalizers'
  const names = finalizers.flatMap((name) => invalidValues(field, name, qualifiedName(name)))
  const both = finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
  const clash = 'finalizer orphan and foregroundDeletion cannot be both set'
  return both ? [...names, invalidValue(field, finalizers, clash)] : names
}

const validateBareFinalizers = (finalizers: readonly string[]): FieldErrors =>
  finalizers.flatMap((name, i) =>
    invalidValues(`metadata.finalizers[${i}]`, name, bareFinalizer(name)),
  )

export const bareFinalizer: NameRule = (name) =>
  name.includes('/') || STANDARD_FINALIZERS.includes(name)
    ? []
    : ['name is neither a standard finalizer name nor is it fully qualified']

// What prepareForUpdate did not put back and still differs, the client tried to change.
const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const

/** Name, prefix and the form of finalizers were checked at creation and are not checked again. */
export function validateMetadataUpdate(meta: ObjectMeta, old: ObjectMeta): FieldErrors {
  const changed = IMMUTABLE.filter((member) => (meta[member] ?? '') !== (old[member] ?? ''))
  return [
    ...changed.map((m) => invalidValue(`metadata.${m}`, meta[m], 'field is immutable')),
    ...validateGeneration(meta, old),
    ...validateNoNewFinalizers(meta, old),
    ...validateAttachments(meta),
  ]
}

/** For core kinds every write, not only the first, refuses a finalizer without a domain. */
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

/** May these owner references be stored? At most one of the owners may be the controller. */

// An Event expires after an hour, and what it owned would be deleted with it.
const isBanned = ({ apiVersion, kind }: OwnerReference) =>
  kind === 'Event' && (apiVersion === 'v1' || apiVersion === '/v1')

function validateOwnerReferences(
  owners: readonly OwnerReference[] | undefined,
  field: string,
): FieldErrors {
  if (!owners) return []
  const single = owners.flatMap((owner, i) => validateOwner(owner, `${field}[${i}]`))
  return [...single, ...validateOneController(owners, field)]
}

function validateOwner(owner: OwnerReference, field: string): FieldErrors {
  const members = ['apiVersion', 'kind', 'name', 'uid'] as const
  const missing = members
    .filter((member) => !owner[member])
    .map((member) => requiredValue(`${field}.${member}`, 'must not be empty'))
  const banned = isBanned(owner)
    ? [invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner')]
    : []
  return [...missing, ...validateApiVersion(owner.apiVersion, `${field}.apiVersion`), ...banned]
}

function validateApiVersion(apiVersion: string | undefined, field: string): FieldErrors {
  if (!apiVersion) return []
  const parts = apiVersion.split('/')
  if (parts.length <= 2 && parts.at(-1) !== '') return []
  return [invalidValue(field, apiVersion, 'must be <group>/<version> or <version>')]
}

/** One error, about the first two: it shows the whole list, and a list may be long. */
function validateOneController(owners: readonly OwnerReference[], field: string): FieldErrors {
  const [first, second] = owners
    .filter((owner) => owner.controller)
    .map((owner) => `${owner.kind}/${owner.name}`)
  if (second === undefined) return []
  const why =
    'Only one reference can have Controller set to true. ' +
    `Found "true" in references for ${first} and ${second}`
  return [invalidValue(field, owners, why)]
}
