/** What a host learns from the answer to its beat, so that it need not ask for anything else. */
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { StoredLease } from '../../../shared/store/ports.ts'
import type { Api } from '../deps.ts'

export function leaseHeaders(api: Api, lease: StoredLease): Record<string, string> {
  const isBeat = lease.key.namespace === nodeLeaseNamespace
  const rhythm = isBeat ? api.beatRhythm?.(lease.ownGraceMs) : undefined
  return {
    // Changes when a pod was bound to the host or ended there: then it lists its pods.
    'leasehold-inbox': String(lease.inbox),
    // Changes when the host was declared Unknown: then it sends its whole status at once.
    ...(lease.declaredAtMs !== undefined && { 'leasehold-declared': String(lease.declaredAtMs) }),
    ...(rhythm && {
      'leasehold-beat-seconds': String(rhythm.beatSeconds),
      'leasehold-grace-seconds': String(rhythm.graceSeconds),
    }),
  }
}
