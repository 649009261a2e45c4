/** An object cut down to its metadata: for metadata informers, and beside each row of a table. */
import type { KubeObject, ObjectMeta } from '../objects.ts'

interface PartialObjectMetadata extends KubeObject {
  readonly kind: 'PartialObjectMetadata'
  readonly apiVersion: string
  readonly metadata: ObjectMeta
}

export const toPartialMetadata = (
  { metadata }: KubeObject,
  apiVersion = 'meta.k8s.io/v1',
): PartialObjectMetadata => ({ kind: 'PartialObjectMetadata', apiVersion, metadata })
