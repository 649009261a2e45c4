/**
 * May this node's token still make a lease? A token dies with its Node. Renewals compare the uid in
 * their own write; a creation has nothing to compare with, so it looks at the Node itself.
 */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export async function requireLivingNode(request: ResourceRequest): Promise<void> {
  const { api, identity, resource } = request
  const name = nodeNameOf(identity)
  if (resource.plural !== 'leases' || !name || identity.nodeUid === undefined) return
  const node = await api.store.objects.get('nodes', { namespace: '', name }, 'lean')
  if (node?.uid === identity.nodeUid) return
  throw forbidden(resource, name, 'this token was issued for a Node that is gone; join again')
}
