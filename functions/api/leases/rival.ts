/**
 * Do two machines beat as one node? Then the one that was refused leaves an Event that people see.
 */
import { rivalClaim, rivalEvent } from '../../../shared/auth/machine-claim.ts'
import type { KubeObject, Lease } from '../../../shared/kube/objects.ts'
import { findResource } from '../../../shared/kube/registry.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import { objectShelf } from '../memory/object-shelf.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export async function tellOfRival(
  { api, key, nowMs }: ResourceRequest,
  held: Lease,
  wanted: Lease,
): Promise<void> {
  if (key.namespace !== nodeLeaseNamespace) return
  const claim = rivalClaim(key.name, held.spec?.holderIdentity, wanted.spec?.holderIdentity)
  const node = claim && (await api.store.objects.get('nodes', { namespace: '', name: key.name }))
  if (!node) return
  const event: KubeObject = rivalEvent(claim, node.object, nowMs)
  const metadata = { ...event.metadata, uid: api.uuid(), creationTimestamp: formatTime(nowMs) }
  // Outrun means that this pair has been told of within the hour, which is enough.
  await objectShelf(api.store, findResource('', 'events')!, nowMs).create({ ...event, metadata })
}
