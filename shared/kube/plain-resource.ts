/** What kinds have in common that are kept for their readers, and that nothing here acts on. */
import {
  metadataWarnings,
  nameFields,
  prepareMetadataForCreate,
  prepareMetadataForUpdate,
} from './meta/metadata.ts'
import type { KubeObject } from './objects.ts'
import { EVERY_VERB, type Resource } from './resource.ts'

type Common = Omit<
  Resource,
  | 'group'
  | 'plural'
  | 'singular'
  | 'kind'
  | 'schema'
  | 'columns'
  | 'validateCreate'
  | 'validateUpdate'
>

/** Cluster-wide; an update names the version it saw. */
export function plainResource<T extends KubeObject>(): Pick<Resource<T>, keyof Common> {
  return {
    version: 'v1',
    shortNames: [],
    categories: [],
    namespaced: false,
    verbs: EVERY_VERB,
    subresources: [],
    selectable: nameFields,
    createOnUpdate: false,
    unconditionalUpdate: false,
    withDefaults: (object) => object,
    prepareForCreate: (object) => ({
      ...object,
      metadata: prepareMetadataForCreate(object.metadata),
    }),
    prepareForUpdate: (object, old) => ({
      ...object,
      metadata: prepareMetadataForUpdate(object.metadata, old.metadata),
    }),
    warnings: metadataWarnings,
  }
}
