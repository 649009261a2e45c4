/**
 * What Zone, Fleet and Cells have in common: the monitor derives them from the nodes, and operators
 * may change nothing but annotations, which are the switches.
 */
import { nameFields, prepareMetadataForUpdate } from './meta/metadata.ts'
import { validateMetadataUpdate } from './meta/validation.ts'
import type { KubeObject, ObjectMeta } from './objects.ts'
import type { Resource, Verb } from './resource.ts'

const verbs: readonly Verb[] = ['get', 'list', 'patch', 'watch']

type Common<T extends KubeObject> = Omit<
  Resource<T>,
  'plural' | 'singular' | 'kind' | 'schema' | 'columns'
>

export function derived<T extends KubeObject>(): Common<T> {
  return {
    group: 'leasehold.dev',
    version: 'v1',
    shortNames: [],
    categories: [],
    namespaced: false,
    verbs,
    subresources: [],
    selectable: nameFields,
    createOnUpdate: false,
    unconditionalUpdate: false,
    withDefaults: (object) => object,
    // Nothing is ever created through the API, so there is nothing to prepare or to refuse.
    prepareForCreate: (object) => object,
    validateCreate: () => [],
    prepareForUpdate: onlyAnnotations,
    validateUpdate: ({ metadata }, old) => validateMetadataUpdate(metadata, old.metadata),
  }
}

/** The old object with the new annotations; whatever else was sent is put back. */
function onlyAnnotations<T extends KubeObject>(object: T, old: T): T {
  const { annotations, resourceVersion, uid } = prepareMetadataForUpdate(
    object.metadata,
    old.metadata,
  )
  const { annotations: _before, ...kept } = old.metadata
  // Version and uid stay as sent, so that a stale or mistaken write is still refused.
  const metadata: ObjectMeta = {
    ...kept,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(uid !== undefined && { uid }),
    ...(annotations && { annotations }),
  }
  return { ...old, metadata }
}
