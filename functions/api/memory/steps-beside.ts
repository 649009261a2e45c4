/**
 * What else belongs to a change, in the same commit? A host's inbox, and the lease of a node that
 * goes.
 */
import type { KubeObject, Pod } from '../../../shared/kube/objects.ts'
import { nodeLeaseNamespace } from '../../../shared/store/lease-state.ts'
import type { Step } from '../../../shared/store/ports.ts'

/** `old` is absent for a creation, `next` for a removal. */
export function stepsBeside(
  plural: string,
  old: KubeObject | undefined,
  next: KubeObject | undefined,
): Step[] {
  if (plural === 'nodes' && old && !next) {
    return [{ do: 'dropLease', key: { namespace: nodeLeaseNamespace, name: old.metadata.name! } }]
  }
  if (plural !== 'pods') return []
  const nodeName = hostToTell(old as Pod | undefined, next as Pod | undefined)
  return nodeName ? [{ do: 'raiseInbox', nodeName }] : []
}

/** A host looks at its pods when one was bound to it, is to end (or to end sooner), or is gone. */
function hostToTell(old: Pod | undefined, next: Pod | undefined): string | undefined {
  const before = old?.spec?.nodeName
  const after = next?.spec?.nodeName
  if (before !== after) return after ?? before
  const sameEnd = old?.metadata.deletionTimestamp === next?.metadata.deletionTimestamp
  return sameEnd ? undefined : after
}
