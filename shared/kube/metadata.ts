/** Metadata across a write: what the server keeps of the old, and what it tidies of the new. */
import type { KubeObject, ObjectMeta, OwnerReference } from './objects.ts'

/**
 * An update need not repeat the uid, cannot take back a deletion, and has no say in creation time
 * and generation. A uid or a deletion time that differs stays as sent, for validation to refuse.
 */
export function keepMetadata(meta: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return tidyMetadata({
    ...meta,
    uid: meta.uid || old.uid,
    creationTimestamp: old.creationTimestamp,
    generation: old.generation,
    deletionTimestamp: meta.deletionTimestamp ?? old.deletionTimestamp,
    deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  })
}

/** Owners said twice, to the letter, are kept once. */
export function tidyMetadata(meta: ObjectMeta): ObjectMeta {
  const owners = meta.ownerReferences
  if (!owners || owners.length < 2) return meta
  return { ...meta, ownerReferences: distinct(owners) }
}

function distinct(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  const texts = owners.map(ownerText)
  return owners.filter((_, i) => texts.indexOf(texts[i]!) === i)
}

const ownerText = ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: OwnerReference) => JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])

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
