/**
 * Who manages which field is read, checked and not kept: apply is a forced merge here, nobody reads
 * the record, and it makes lists four times as long.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'

export function withoutManagers(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object
  const { managedFields: _managers, ...metadata } = object.metadata
  return { ...object, metadata }
}
