/** What does a beat say? The Lease to send, built from the one last seen. */
import type { Lease, OwnerReference } from '../../shared/kube/objects.ts'
import { formatMicroTime } from '../../shared/kube/time.ts'
import { NODE_LEASE_NAMESPACE } from '../client.ts'

interface LeaseConfig {
  readonly nodeName: string
  /** Names node and machine, so that the service can tell two machines with one name apart. */
  readonly holderIdentity: string
  readonly leaseDurationSeconds: number
}

export interface NodeRef {
  readonly name: string
  readonly uid: string
}

interface NewLease {
  readonly lease: Lease
  /** Without an owner it must not be sent: a Lease without an owner is never collected. */
  readonly owned: boolean
}

/**
 * Unlike the kubelet, the agent writes its own holder into every renewal. After `--leave` the
 * holder is empty, and after a reinstall it is another machine: copying either would keep another
 * machine's lease alive.
 */
export function newLease(
  base: Lease | undefined,
  config: LeaseConfig,
  node: NodeRef | undefined,
  nowMs: number,
): NewLease {
  const seen = base ?? { metadata: { name: config.nodeName, namespace: NODE_LEASE_NAMESPACE } }
  const owners = ownersOf(base, node)
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...seen.metadata, ...(owners.length > 0 && { ownerReferences: owners }) },
    spec: {
      ...base?.spec,
      holderIdentity: config.holderIdentity,
      leaseDurationSeconds: config.leaseDurationSeconds,
      renewTime: formatMicroTime(nowMs * 1_000),
    },
  }
  return { lease, owned: owners.length > 0 }
}

export const hasOwner = (lease: Lease | undefined): boolean =>
  (lease?.metadata.ownerReferences?.length ?? 0) > 0

/** An existing owner is never corrected, even with an outdated uid: the service collects that. */
function ownersOf(base: Lease | undefined, node: NodeRef | undefined): readonly OwnerReference[] {
  if (hasOwner(base)) return base?.metadata.ownerReferences ?? []
  if (!node) return []
  return [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }]
}
