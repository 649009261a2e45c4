/** POST pods/x/binding: puts a pod on a host, once. */
import type { Condition, KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { bindingSchema } from '../../../shared/kube/pod/subresource-schemas.ts'
import { conflict, invalid, notFound } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import type { ResourceRequest } from '../deps.ts'
import { checkPlace, decodeRequest, withMetadata } from '../request/body.ts'
import { writeOptions } from '../request/options.ts'
import { respondWithSuccess } from '../response/object-response.ts'
import { changeObject } from '../verbs/change.ts'

interface Binding extends KubeObject {
  readonly target?: { readonly kind?: string; readonly name?: string }
}

export async function bindPod(request: ResourceRequest): Promise<Response> {
  const { dryRun, fieldValidation } = writeOptions(request.query, 'CreateOptions')
  const { resource, key } = request
  const { object, warnings } = await decodeRequest(request, {
    schema: bindingSchema,
    expected: { apiVersion: 'v1', kind: 'Binding' },
    fieldValidation,
  })
  const binding = withMetadata(object) as Binding
  checkPlace(request, binding)
  const nodeName = targetOf(binding, key.name)
  const propose = (old: Pod) => boundPod(request, old, binding, nodeName)
  const bound = await changeObject(request, { propose, dryRun })
  if (!bound) throw notFound(resource, key.name)
  return await respondWithSuccess(request, warnings)
}

function targetOf({ target = {} }: Binding, name: string): string {
  const named = { group: '', plural: 'bindings', kind: 'Binding' }
  if (target.kind && target.kind !== 'Node') {
    const message = `Unsupported value: ${JSON.stringify(target.kind)}: supported values: "Node"`
    throw invalid(named, name, [{ type: 'NotSupported', field: 'target.kind', message }])
  }
  if (target.name) return target.name
  const message = 'Required value: name the node'
  throw invalid(named, name, [{ type: 'Required', field: 'target.name', message }])
}

function boundPod(
  { resource, key, nowMs }: ResourceRequest,
  pod: Pod,
  { metadata: said }: Binding,
  nodeName: string,
): Pod {
  const refuse = (why: string) => conflict(resource, key.name, `pod ${key.name} ${why}`)
  if (pod.metadata.deletionTimestamp) throw refuse('is being deleted')
  if (pod.spec?.nodeName) throw refuse(`is already assigned to node "${pod.spec.nodeName}"`)
  const annotations = { ...pod.metadata.annotations, ...said.annotations }
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      // A binding that names a uid is meant for that pod and no other of its name.
      uid: said.uid || pod.metadata.uid,
      ...(said.annotations && { annotations }),
    },
    spec: { ...pod.spec, nodeName },
    status: { ...pod.status, conditions: scheduled(pod.status?.conditions ?? [], nowMs) },
  }
}

/** As a scheduler reports it. */
function scheduled(conditions: readonly Condition[], nowMs: number): readonly Condition[] {
  const others = conditions.filter(({ type }) => type !== 'PodScheduled')
  const lastTransitionTime = formatTime(nowMs)
  return [...others, { type: 'PodScheduled', status: 'True', lastTransitionTime }]
}
