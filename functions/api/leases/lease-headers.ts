/** What a host learns from the answer to its beat, so that it need not ask for anything else. */
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { Api } from '../deps.ts'

export function addLeaseHeaders(headers: Headers, api: Api, lease: StoredLease): void {
  // Changes when a pod was bound to the host or ended there: then it lists its pods.
  headers.set('leasehold-inbox', String(lease.inbox))
  // Changes when the host was declared Unknown: then it sends its whole status at once.
  if (lease.declaredAtMs !== undefined) {
    headers.set('leasehold-declared', String(lease.declaredAtMs))
  }
  if (lease.key.namespace === nodeLeaseNamespace) addRhythm(headers, api, lease)
}

function addRhythm(headers: Headers, { beatRhythm }: Api, { ownGraceMs }: StoredLease): void {
  const rhythm = beatRhythm?.(ownGraceMs)
  if (!rhythm) return
  headers.set('leasehold-beat-seconds', String(rhythm.beatSeconds))
  headers.set('leasehold-grace-seconds', String(rhythm.graceSeconds))
}
