/**
 * Namespaces: where the names of leases, pods and events are unique. A namespace's name becomes
 * part of every key in it, so it is a single DNS label.
 */

import { ageColumn, nameColumn, textColumn } from '../columns.ts'
import { type FieldErrors, invalidValue, invalidValues } from '../field-errors.ts'
import {
  metadataWarnings,
  nameFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from '../meta/metadata.ts'
import { labelName, qualifiedName } from '../meta/names.ts'
import { metadataField, typeFields } from '../meta/schema.ts'
import {
  bareFinalizer,
  type MetadataRules,
  validateCoreMetadataUpdate,
  validateMetadata,
} from '../meta/validation.ts'
import type { Namespace } from '../objects.ts'
import { EVERY_VERB, type Resource, STATUS } from '../resource.ts'
import { field, listBy, listOf, object, required, string, time } from '../schema.ts'

const CORE = 'io.k8s.api.core.v1'

const namespaceSpecSchema = object(`${CORE}.NamespaceSpec`, 'What is wanted of the namespace.', {
  finalizers: field(1, listOf(string), 'Who must let go before the namespace is gone.'),
})

const namespaceConditionSchema = object(
  `${CORE}.NamespaceCondition`,
  'One aspect of the state of a namespace.',
  {
    type: required(1, string, 'Which aspect.'),
    status: required(2, string, 'True, False or Unknown.'),
    lastTransitionTime: field(4, time, 'When the status last changed.'),
    reason: field(5, string, 'One word for programs.'),
    message: field(6, string, 'A sentence for people.'),
  },
)

const namespaceStatusSchema = object(`${CORE}.NamespaceStatus`, 'How the namespace is.', {
  phase: field(1, string, 'Active or Terminating.'),
  conditions: field(2, listBy('type', namespaceConditionSchema), 'How its deletion goes.'),
})

const namespaceSchema = object(
  `${CORE}.Namespace`,
  'A space in which the names of leases, pods and events are unique.',
  {
    ...typeFields,
    metadata: metadataField,
    spec: field(2, namespaceSpecSchema, 'What is wanted of the namespace.'),
    status: field(3, namespaceStatusSchema, 'How the namespace is.'),
  },
)

export const namespaces: Resource<Namespace> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  categories: [],
  namespaced: false,
  // One at a time, as in Kubernetes: each takes all that is in it along.
  verbs: EVERY_VERB.filter((verb) => verb !== 'deletecollection'),
  subresources: [{ name: 'finalize', verbs: ['update'] }, STATUS],
  schema: namespaceSchema,
  columns: [
    nameColumn,
    textColumn<Namespace>('Status', 'Whether the namespace is being deleted.', phaseOf),
    ageColumn,
  ],
  selectable: (namespace) => ({
    ...nameFields(namespace),
    // Kubernetes supports this one by mistake and for good.
    name: namespace.metadata.name ?? '',
    'status.phase': phaseOf(namespace),
  }),
  createOnUpdate: false,
  unconditionalUpdate: true,

  withDefaults: withNameLabel,
  prepareForCreate: (namespace) => ({
    // Here, not in the defaults: a generated name is known only now.
    ...withNameLabel({ ...namespace, metadata: prepareMetadataForCreate(namespace.metadata) }),
    spec: { finalizers: withKubernetes(namespace.spec?.finalizers ?? []) },
    status: { phase: 'Active' },
  }),
  prepareForUpdate: (namespace, old, subresource) => ({
    ...namespace,
    metadata: prepareMetadataForUpdate(namespace.metadata, old.metadata),
    ...(subresource !== 'finalize' && { spec: old.spec }),
    ...(subresource !== 'status' && { status: old.status }),
  }),
  validateCreate: validateNamespace,
  validateUpdate: (namespace, old, subresource) => [
    ...validateCoreMetadataUpdate(namespace.metadata, old.metadata),
    ...(subresource === 'status' ? validatePhase(namespace) : []),
    ...(subresource === 'finalize' ? validateFinalizers(namespace) : []),
  ],
  warnings: metadataWarnings,
}

function phaseOf({ status }: Namespace): string {
  return status?.phase ?? ''
}

/** So that a label selector can name a namespace. */
function withNameLabel(namespace: Namespace): Namespace {
  const { name, labels } = namespace.metadata
  if (!name) return namespace
  const named = { ...labels, 'kubernetes.io/metadata.name': name }
  return { ...namespace, metadata: { ...namespace.metadata, labels: named } }
}

const withKubernetes = (finalizers: readonly string[]) =>
  finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes']

const rules: MetadataRules = { namespaced: false, name: labelName, standardFinalizers: true }

function validateNamespace(namespace: Namespace): FieldErrors {
  return [...validateMetadata(namespace.metadata, rules), ...validateFinalizers(namespace)]
}

const validateFinalizers = ({ spec }: Namespace): FieldErrors =>
  (spec?.finalizers ?? []).flatMap((name) =>
    invalidValues('spec.finalizers', name, [...qualifiedName(name), ...bareFinalizer(name)]),
  )

/** The phase says whether it is being deleted, and nothing else. */
function validatePhase({ metadata, status }: Namespace): FieldErrors {
  const { deletionTimestamp } = metadata
  const phase = deletionTimestamp ? 'Terminating' : 'Active'
  if (status?.phase === phase) return []
  const why = `may only be '${phase}' if \`deletionTimestamp\` is ${deletionTimestamp ? 'not ' : ''}empty`
  return [invalidValue('status.Phase', status?.phase, why)]
}
