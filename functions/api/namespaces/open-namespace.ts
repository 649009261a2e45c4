/** May something new be put into this namespace? */
import type { Namespace } from '../../../shared/kube/objects.ts'
import { forbidden, notFound } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { isBuiltIn } from './built-in.ts'

export const NAMESPACES = { group: '', plural: 'namespaces', kind: 'Namespace' } as const

/**
 * Looked at, not held: a namespace that goes in the same instant leaves an object behind that can
 * still be listed and deleted. Holding it would make every creation a transaction.
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
