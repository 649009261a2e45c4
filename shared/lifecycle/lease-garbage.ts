/** Has this node lease outlived its owners? Whether it has expired plays no part. */
import type { OwnerReference } from '../kube/objects.ts'

export type LeaseVerdict =
  | { readonly kind: 'keep' }
  /** Some owners are dead: the lease stays with these. */
  | { readonly kind: 'trim'; readonly ownerReferences: readonly OwnerReference[] }
  | { readonly kind: 'delete' }

/** The uid of the Node of that name, from a consistent read; undefined when there is none. */
export type NodeUid = (name: string) => string | undefined

export function judgeLease(
  ownerReferences: readonly OwnerReference[] | undefined,
  nodeUid: NodeUid,
): LeaseVerdict {
  // A lease written before its node existed has no owner until a renewal adds one. It is nobody's
  // garbage.
  if (!ownerReferences?.length) return { kind: 'keep' }

  const alive = ownerReferences.filter((owner) => isAlive(owner, nodeUid))
  if (alive.length === 0) return { kind: 'delete' }
  if (alive.length === ownerReferences.length) return { kind: 'keep' }
  return { kind: 'trim', ownerReferences: alive }
}

/**
 * A node of the same name and another uid is another node. What is not a Node cannot be looked up,
 * so it stays.
 */
function isAlive(owner: OwnerReference, nodeUid: NodeUid): boolean {
  if (owner.kind !== 'Node' || owner.apiVersion !== 'v1') return true
  return nodeUid(owner.name) === owner.uid
}

/** What deleting a node with propagationPolicy Orphan leaves of its lease's owners. */
export function disown(
  ownerReferences: readonly OwnerReference[],
  deletedUid: string,
): readonly OwnerReference[] {
  return ownerReferences.filter((owner) => owner.uid !== deletedUid)
}
