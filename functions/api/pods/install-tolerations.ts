/**
 * How long does a pod stay on a host that is not ready, if it does not say itself? An install may
 * choose; the resource's own default comes after, and finds both taints mentioned already.
 */
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { withDefaultTolerations } from '../../../shared/kube/resources/default-tolerations.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

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
