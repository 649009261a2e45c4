/**
 * The last beat of a host outlives its Lease: whoever deletes the lease of a living host must not
 * have it declared dead. The next renewal makes a new lease, a few seconds later.
 */
import { leases as leaseResource } from '../../../shared/kube/resources/leases.ts'
import { modified } from '../../../shared/kube/status-error.ts'
import { nodeLeaseNamespace, ownerUidOf } from '../../../shared/store/lease-state.ts'
import type { Store, StoredLease, StoredObject } from '../../../shared/store/ports.ts'

const TRIES = 5

/** Before the lease goes. A beat that comes in between makes its removal be outrun. */
export async function keepLastBeat(store: Store, lease: StoredLease): Promise<void> {
  const { key, receivedAtMs } = lease
  if (key.namespace !== nodeLeaseNamespace || receivedAtMs === undefined) return
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const node = await store.objects.get('nodes', { namespace: '', name: key.name })
    if (!node || !isOf(lease, node) || (node.receivedAtMs ?? 0) >= receivedAtMs) return
    const { object, fields } = node
    const step = { do: 'replaceObject', believed: node, object, fields, receivedAtMs } as const
    if ((await store.commit([step])).kind === 'committed') return
  }
  throw modified(leaseResource, key.name)
}

function isOf({ object }: StoredLease, { uid }: StoredObject): boolean {
  return (ownerUidOf(object.metadata) ?? uid) === uid
}
