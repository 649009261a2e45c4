/**
 * May this namespace go? Nothing here empties it for the caller, so it must be empty and not one of
 * ours.
 */
import { conflict, forbidden } from '../../../shared/kube/status-error.ts'
import type { Store } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../request/resource-request.ts'
import { isBuiltIn } from './built-in.ts'

export async function refuseNamespaceDeletion({ api, resource, key }: ResourceRequest) {
  if (isBuiltIn(key.name)) throw forbidden(resource, key.name, 'this namespace may not be deleted')
  const inside = await contentsOf(api.store, key.name)
  if (inside.length === 0) return
  const why = `the namespace is not empty: delete its ${inside.join(' and ')} first`
  throw conflict(resource, key.name, why)
}

/** Events do not count: they go by themselves within the hour. */
async function contentsOf(store: Store, namespace: string): Promise<string[]> {
  const pods = await store.objects.list('pods', { namespace, limit: 1 })
  const hasLeases = await anyLease(store, namespace)
  return [...(pods.items.length > 0 ? ['pods'] : []), ...(hasLeases ? ['leases'] : [])]
}

async function anyLease(store: Store, namespace: string): Promise<boolean> {
  for await (const page of store.leases.scan(namespace)) if (page.length > 0) return true
  return false
}
