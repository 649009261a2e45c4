/**
 * Does the server guard the holders of leases in this namespace? It does, unless an administrator
 * has annotated the namespace: then a lease is what it is in Kubernetes, a note among its clients.
 */
import type { AdmissionRequest } from '../../../shared/auth/access/admission-verdict.ts'
import { groupNames, inAnyGroup } from '../../../shared/auth/subject.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import type { HolderRule } from '../../../shared/lifecycle/liveness/holder.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'

const HOLDERS_ANNOTATION = 'leasehold.dev/lease-holders'

/** Here a lease says that a host is alive, or that a monitor is at work. */
const GUARDED = ['kube-node-lease', 'kube-system']

export async function holderRule(store: Store, namespace: string): Promise<HolderRule> {
  if (GUARDED.includes(namespace)) return 'checked'
  const found = await store.objects.get('namespaces', { namespace: '', name: namespace })
  return valueIn(found?.object) === 'unchecked' ? 'unchecked' : 'checked'
}

const valueIn = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.annotations?.[HOLDERS_ANNOTATION]

/** Written down at its creation, so that a later change of the default changes no namespace. */
export function withDefaultHolderRule(
  { api, resource }: Pick<ResourceRequest, 'api' | 'resource'>,
  object: KubeObject,
): KubeObject {
  const { leaseHolders } = api.settings
  const { name = '', annotations } = object.metadata
  const isOpen = leaseHolders === 'unchecked' && !GUARDED.includes(name)
  if (resource.plural !== 'namespaces' || !isOpen || valueIn(object)) return object
  const marked = { ...annotations, [HOLDERS_ANNOTATION]: 'unchecked' }
  return { ...object, metadata: { ...object.metadata, annotations: marked } }
}

/** Throws where the annotation is changed by another caller, on a guarded namespace, or to nonsense. */
export function checkHolderRule(change: AdmissionRequest): void {
  const { identity, resource, key, object, old } = change
  const value = valueIn(object)
  if (resource.plural !== 'namespaces' || !object || value === valueIn(old)) return
  const refuse = (why: string) => forbidden(resource, key.name, `${HOLDERS_ANNOTATION} ${why}`)
  if (!inAnyGroup(identity, groupNames.masters)) throw refuse('may be set by administrators only')
  if (value === undefined) return
  if (value !== 'checked' && value !== 'unchecked') throw refuse('must be checked or unchecked')
  if (value === 'unchecked' && GUARDED.includes(key.name)) throw refuse('must stay checked here')
}
