/**
 * POST pods/x/eviction: a delete that marks the pod as evicted, so that the bus can say so. There
 * are no disruption budgets here, so it is never refused for one.
 */
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { evictionSchema } from '../../../shared/kube/pod/subresource-schemas.ts'
import { withRequestedEviction } from '../../../shared/lifecycle/eviction/disruption-target.ts'
import type { ResourceRequest } from '../deps.ts'
import { checkPlace, decodeRequest, withMetadata } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { respondWithSuccess } from '../response/object-response.ts'
import { deleteObject } from '../verbs/delete.ts'
import { checkDeleteOptions, type DeleteOptions } from '../verbs/delete-options.ts'
import { unreachableNodeWarnings } from './unreachable-node-warning.ts'

export async function evictPod(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'CreateOptions')
  const { object, warnings } = await decodeRequest(request, {
    schema: evictionSchema,
    expected: {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      alsoApiVersions: ['policy/v1beta1'],
    },
    fieldValidation,
  })
  const eviction = withMetadata(object) as KubeObject & { readonly deleteOptions?: DeleteOptions }
  checkPlace(request, eviction)
  const options = { ...eviction.deleteOptions, ...(dryRun && { dryRun: ['All'] }) }
  checkDeleteOptions(options)

  const lastUpdate = (pod: KubeObject) => withRequestedEviction(pod, request.nowMs)
  const { kind, object: pod } = await deleteObject(request, options, { lastUpdate })
  const stuck = kind === 'marked' ? await unreachableNodeWarnings(request, pod) : []
  return await respondWithSuccess(request, [...warnings, ...stuck])
}
