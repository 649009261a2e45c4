/**
 * How long does a pod without own tolerations stay on a host that is not ready? An installation may
 * choose; Kubernetes' default, which comes after, then finds both taints tolerated already.
 */
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { withDefaultTolerations } from '../../../shared/kube/pod/default-tolerations.ts'
import type { ResourceRequest } from '../deps.ts'

export function withInstallTolerations(
  { api, resource, subresource }: ResourceRequest,
  object: KubeObject,
): KubeObject {
  const { tolerations: chosen } = api.settings
  if (!chosen || resource.plural !== 'pods' || subresource) return object
  const pod = object as Pod
  const tolerations = withDefaultTolerations(pod.spec?.tolerations ?? [], chosen)
  return { ...pod, spec: { ...pod.spec, tolerations } } as KubeObject
}
