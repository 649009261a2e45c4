/**
 * May this caller do this to this resource? First by the request alone, then by what it would
 * change.
 */
import { asksForRelation } from '../../../shared/auth/authorizer.ts'
import type { Attributes } from '../../../shared/auth/identity.ts'
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import type { Verb } from '../../../shared/kube/resource.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import { denial } from './access.ts'
import type { ResourceRequest } from './resource-request.ts'

export async function authorise(request: ResourceRequest): Promise<void> {
  const attributes = attributesOf(request, request.verb)
  if (!asksForRelation(request.identity, attributes)) return decide(request, attributes)
  decide(request, { ...attributes, related: await isBoundToCaller(request, attributes) })
}

/** A second permission that a request turns out to need: a PUT that creates. */
export function authoriseVerb(request: ResourceRequest, verb: Verb): void {
  decide(request, attributesOf(request, verb))
}

function decide({ api, identity, resource }: ResourceRequest, attributes: Attributes): void {
  const verdict = api.authorizer.authorize(identity, attributes)
  if (verdict.kind === 'allowed') return
  throw forbidden(resource, attributes.name, denial(identity, attributes, verdict.reason))
}

function attributesOf(request: ResourceRequest, verb: Verb): Attributes {
  const { resource, subresource, key, path } = request
  const narrowed = verb === 'list' || verb === 'watch'
  return {
    verb,
    group: resource.group,
    resource: resource.plural,
    subresource: subresource?.name ?? '',
    namespace: key.namespace,
    name: key.name,
    path,
    ...(narrowed && { fieldSelector: request.selection.exact }),
  }
}

async function isBoundToCaller(
  { api, identity, key }: ResourceRequest,
  attributes: Attributes,
): Promise<boolean> {
  const name = key.name || attributes.fieldSelector?.['metadata.name'] || ''
  if (!key.namespace || !name) return false
  const pod = await api.store.objects.get('pods', { namespace: key.namespace, name })
  return (pod?.object as Pod | undefined)?.spec?.nodeName === nodeNameOf(identity)
}

export interface Admitted {
  readonly operation: 'create' | 'update' | 'delete'
  readonly object?: KubeObject
  readonly old?: KubeObject
}

/** What an authoriser cannot see because it needs the objects: NodeRestriction and the like. */
export async function admit(request: ResourceRequest, change: Admitted): Promise<void> {
  const { api, identity, resource, subresource, key } = request
  // On create the URL names nobody: the name in the body counts.
  const name = key.name || change.object?.metadata.name || ''
  const place = { namespace: key.namespace, name }
  await api.admission?.({
    ...change,
    identity,
    resource,
    subresource: subresource?.name ?? '',
    key: place,
  })
}
