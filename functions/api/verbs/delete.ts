import type { KubeObject } from '../../../shared/kube/objects.ts'
import type { Status } from '../../../shared/kube/status-error.ts'
import { answerObject, answerPlain } from '../answer/object-answer.ts'
import { hostWarnings } from '../pods/host-warning.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { readDeleteOptions } from './delete-options.ts'
import { deleteObject } from './deletion.ts'

export async function remove(request: ResourceRequest): Promise<Response> {
  const options = await readDeleteOptions(request)
  const { kind, object } = await deleteObject(request, options)
  if (kind === 'marked') {
    return await answerObject(request, object, { warnings: await hostWarnings(request, object) })
  }
  // Kubernetes shows the last of a pod, and of everything else only that it is gone.
  if (request.resource.plural === 'pods') return await answerObject(request, object)
  return await answerPlain(request, gone(request, object))
}

function gone({ resource }: ResourceRequest, { metadata }: KubeObject): Status {
  const details = {
    name: metadata.name,
    ...(resource.group && { group: resource.group }),
    kind: resource.plural,
    uid: metadata.uid,
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
