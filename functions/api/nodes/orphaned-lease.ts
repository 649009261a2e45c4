/** A Node deleted with the policy Orphan leaves its Lease behind, which then belongs to nobody. */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { leases as leaseResource } from '../../../shared/kube/resources/leases.ts'
import { modified } from '../../../shared/kube/status-error.ts'
import { disown } from '../../../shared/lifecycle/lease-garbage.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Store, StoredLease } from '../../../shared/store/ports.ts'

/** The host may go on beating meanwhile; a beat or two is all that can come in between. */
const TRIES = 5

/** Before the Node goes: whoever dies in between leaves a lease to which a renewal adds its owner. */
export async function orphanLease({ leases }: Store, { metadata }: KubeObject): Promise<void> {
  const { name = '', uid = '' } = metadata
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const lease = await leases.get({ namespace: nodeLeaseNamespace, name })
    if (!lease || !isOwner(lease, uid)) return
    if ((await leases.replace(disowned(lease, uid), lease)).kind === 'replaced') return
  }
  throw modified(leaseResource, name)
}

const isOwner = ({ object }: StoredLease, uid: string): boolean =>
  object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false

function disowned({ object }: StoredLease, uid: string) {
  const { ownerReferences = [], ...metadata } = object.metadata
  const left = disown(ownerReferences, uid)
  return { ...object, metadata: { ...metadata, ...(left.length > 0 && { ownerReferences: left }) } }
}
