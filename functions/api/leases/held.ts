/** What is somebody told who wants a lease that another holds? */
import type { KubeObject, Lease } from '../../../shared/kube/objects.ts'
import { conflict, type StatusError } from '../../../shared/kube/status-error.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { expiryAllowanceMs, judgeClaim } from '../../../shared/lifecycle/holder.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { Stored } from '../memory/shelf.ts'
import type { ResourceRequest } from '../request/resource-request.ts'

export function heldConflict({ resource, key }: ResourceRequest, found: Stored): StatusError {
  const held = found as StoredLease
  const holder = held.object.spec?.holderIdentity ?? ''
  const until = held.expiresAtMs === undefined ? 'for good' : `until ${freeAt(held.expiresAtMs)}`
  const why = `the lease is held by ${JSON.stringify(holder)} ${until}; wait, or delete the lease`
  return conflict(resource, key.name, why)
}

/** Whoever asks again at that time gets it: a fraction is cut off, hence a second more. */
const freeAt = (expiresAtMs: number) => formatTime(expiresAtMs + expiryAllowanceMs + 1_000)

/** The holder rule lives in the store's write; a dry run, which writes nothing, asks it here. */
export function wouldBeHeld(
  { resource, nowMs }: ResourceRequest,
  found: Stored,
  next: KubeObject,
): boolean {
  if (resource.plural !== 'leases') return false
  const { object, receivedAtMs } = found as StoredLease
  const wanted = (next as Lease).spec ?? {}
  return judgeClaim({ ...object.spec, receivedAtMs }, wanted, nowMs).kind === 'held'
}
