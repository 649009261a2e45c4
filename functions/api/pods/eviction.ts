/**
 * POST pods/x/eviction: a delete that says it is one, on the pod and so on the bus. There are no
 * disruption budgets here, so nothing stands against it.
 */
import { decodeBody } from '../../../shared/kube/decode.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { evictionSchema } from '../../../shared/kube/schemas/eviction.ts'
import { withRequestedEviction } from '../../../shared/lifecycle/requested-eviction.ts'
import { answerDone } from '../answer/object-answer.ts'
import { readBody } from '../request/body.ts'
import { checkPlace, withMetadata } from '../request/decode.ts'
import { writeOptions } from '../request/options.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { checkDeleteOptions, type DeleteOptions } from '../verbs/delete-options.ts'
import { deleteObject } from '../verbs/deletion.ts'
import { hostWarnings } from './host-warning.ts'

export async function evict(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'CreateOptions')
  const { api, raw } = request
  const { object, warnings } = await decodeBody({
    bytes: await readBody(raw, api.settings.bodyLimitBytes),
    contentType: raw.headers.get('content-type') ?? undefined,
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

  const farewell = (pod: KubeObject) => withRequestedEviction(pod, request.nowMs)
  const { kind, object: pod } = await deleteObject(request, options, farewell)
  const stuck = kind === 'marked' ? await hostWarnings(request, pod) : []
  return await answerDone(request, [...warnings, ...stuck])
}
