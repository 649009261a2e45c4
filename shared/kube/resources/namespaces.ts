/** Namespaces: rooms for leases, pods and events. */
import { keepMetadata, metadataWarnings, nameFields, tidyMetadata } from '../metadata.ts'
import type { Namespace } from '../objects.ts'
import { EVERY_VERB, type Resource } from '../resource.ts'
import { namespaceSchema } from '../schemas/namespace.ts'
import { validateNamespace, validateNamespaceUpdate } from '../validation/namespace.ts'
import { ageColumn, nameColumn, textColumn } from './columns.ts'

export const namespaces: Resource<Namespace> = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  categories: [],
  namespaced: false,
  verbs: EVERY_VERB,
  subresources: [],
  schema: namespaceSchema,
  columns: [
    nameColumn,
    textColumn<Namespace>('Status', 'Whether the namespace is being deleted.', phaseOf),
    ageColumn,
  ],
  selectable: (namespace) => ({ ...nameFields(namespace), 'status.phase': phaseOf(namespace) }),
  createOnUpdate: false,
  unconditionalUpdate: true,

  withDefaults: withNameLabel,
  prepareForCreate: (namespace) => ({
    // Here, not in the defaults: a generated name is known only now.
    ...withNameLabel({ ...namespace, metadata: tidyMetadata(namespace.metadata) }),
    spec: { finalizers: withKubernetes(namespace.spec?.finalizers ?? []) },
    status: { phase: 'Active' },
  }),
  prepareForUpdate: (namespace, old) => ({
    ...namespace,
    metadata: keepMetadata(namespace.metadata, old.metadata),
    spec: old.spec,
    status: old.status,
  }),
  validateCreate: validateNamespace,
  validateUpdate: validateNamespaceUpdate,
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
