/** May an object be created in this namespace, and may the namespace itself be deleted? */
import type { Namespace } from '../../../shared/kube/objects.ts'
import { forbidden, notFound } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'
import { isBuiltIn } from './built-in.ts'

const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' } as const

/**
 * Read, not locked: locking it would make every creation a transaction. What is created while its
 * namespace is being deleted goes with it: the monitor looks again after the namespace is gone.
 */
export async function requireNamespace(request: ResourceRequest, name: string): Promise<void> {
  const { api, resource, key } = request
  if (!resource.namespaced || isBuiltIn(key.namespace)) return
  const found = await api.store.objects.get('namespaces', { namespace: '', name: key.namespace })
  if (!found) throw notFound(NAMESPACES, key.namespace)

  const { metadata, status } = found.object as Namespace
  if (!metadata.deletionTimestamp && status?.phase !== 'Terminating') return
  const what = `unable to create new content in namespace ${key.namespace}`
  // Controllers look for this cause and stop trying.
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${key.namespace} is being terminated`,
    field: 'metadata.namespace',
  }
  throw forbidden(resource, name, `${what} because it is being terminated`, [cause])
}

export function refuseBuiltInDeletion({ resource, key }: ResourceRequest): void {
  if (resource.plural !== 'namespaces' || !isBuiltIn(key.name)) return
  throw forbidden(resource, key.name, 'this namespace may not be deleted')
}
