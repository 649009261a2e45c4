/** What goes with a Node, in the same commit: its Lease, and the CSINode that it owns. */
import { nodeLeaseNamespace } from './lease-state.ts'
import type { Store, StoredObject, WriteStep } from './ports.ts'

export async function nodeDependents(
  { objects }: Store,
  { key, uid }: Pick<StoredObject, 'key' | 'uid'>,
): Promise<readonly WriteStep[]> {
  const { name } = key
  const csiNode = await objects.get('csinodes', { namespace: '', name })
  const lease: WriteStep = { do: 'dropLease', key: { namespace: nodeLeaseNamespace, name } }
  const goes = csiNode && isOwned(csiNode, uid)
  return goes ? [lease, { do: 'deleteObject', believed: csiNode }] : [lease]
}

function isOwned({ object }: StoredObject, nodeUid: string): boolean {
  const { ownerReferences = [], finalizers = [] } = object.metadata
  const isOnly = ownerReferences.every(({ uid }) => uid === nodeUid)
  return ownerReferences.length > 0 && isOnly && finalizers.length === 0
}
