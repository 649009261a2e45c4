/** How many pods may a host report (as mirror pods) that no operator gave it? */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'

/**
 * All pods on the host counted. A kubelet runs 110 unless told, the largest installs 500. The index
 * that is asked lags a moment, so a burst may end a few above it.
 */
const MAX_PODS_PER_NODE = 500

export async function requireRoomForPod(request: ResourceRequest): Promise<void> {
  const { api, identity, resource, key } = request
  const name = nodeNameOf(identity)
  if (resource.plural !== 'pods' || name === undefined) return
  if ((await api.store.objects.countPodsOn(name)) < MAX_PODS_PER_NODE) return
  const why = `node "${name}" has ${MAX_PODS_PER_NODE} pods, which is as many as it may report`
  throw forbidden(resource, key.name, why)
}
