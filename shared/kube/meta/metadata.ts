/** Metadata across a write: what an update keeps of the stored object, and which owners count. */
import type { KubeObject, ObjectMeta } from '../objects.ts'

/**
 * An update need not repeat the uid, cannot take back a deletion, and has no say in creation time
 * and generation. A uid or a deletion time that differs stays as sent, for validation to refuse.
 */
export function prepareMetadataForUpdate(meta: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return prepareMetadataForCreate({
    ...meta,
    uid: meta.uid || old.uid,
    creationTimestamp: old.creationTimestamp,
    generation: old.generation,
    deletionTimestamp: meta.deletionTimestamp ?? old.deletionTimestamp,
    deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  })
}

/** Drops owners that are repeated exactly, as Kubernetes does. */
export function prepareMetadataForCreate(meta: ObjectMeta): ObjectMeta {
  const owners = meta.ownerReferences
  if (!owners || owners.length < 2) return meta
  const distinct = new Map(owners.map((owner) => [JSON.stringify(owner, OWNER_MEMBERS), owner]))
  return { ...meta, ownerReferences: [...distinct.values()] }
}

/** In this order in the text, in whatever order the client wrote them. */
const OWNER_MEMBERS = ['apiVersion', 'kind', 'name', 'uid', 'controller', 'blockOwnerDeletion']

export function metadataWarnings({ metadata }: KubeObject): readonly string[] {
  const uids = (metadata.ownerReferences ?? []).map((owner) => owner.uid)
  const repeated = [...new Set(uids.filter((uid, i) => uids.indexOf(uid) !== i))]
  if (repeated.length === 0) return []
  return [
    '.metadata.ownerReferences contains duplicate entries; ' +
      `identical ones are stored once; duplicate UID(s) observed: ${repeated.join(', ')}`,
  ]
}

/** The fields every list can be narrowed by. */
export const nameFields = ({ metadata }: KubeObject) => ({ 'metadata.name': metadata.name ?? '' })

export const namespacedFields = (object: KubeObject) => ({
  ...nameFields(object),
  'metadata.namespace': object.metadata.namespace ?? '',
})
