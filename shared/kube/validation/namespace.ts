/**
 * May this namespace be stored? Its name becomes part of every key in it, so it is a single DNS
 * label.
 */
import type { Namespace } from '../objects.ts'
import { complaints, type FieldErrors } from './field-errors.ts'
import { type MetadataRules, validateCoreMetadataUpdate, validateMetadata } from './metadata.ts'
import { labelName, qualifiedName } from './names.ts'

const rules: MetadataRules = { namespaced: false, name: labelName, standardFinalizers: true }

export const validateNamespace = (namespace: Namespace): FieldErrors => [
  ...validateMetadata(namespace.metadata, rules),
  ...(namespace.spec?.finalizers ?? []).flatMap((name) =>
    complaints('spec.finalizers', name, qualifiedName(name)),
  ),
]

export const validateNamespaceUpdate = (namespace: Namespace, old: Namespace): FieldErrors =>
  validateCoreMetadataUpdate(namespace.metadata, old.metadata)
