/** What does a beat say? The Lease to send, built from the one last seen. */
import type { Lease, OwnerReference } from '../shared/kube/objects.ts'
import { formatMicroTime } from '../shared/kube/time.ts'

export const NODE_LEASE_NAMESPACE = 'kube-node-lease'

/** What this host wants its Lease to say. */
export interface LeaseWish {
  readonly nodeName: string
  /** Names node and machine, so that two machines with one name are told apart by the server. */
  readonly holderIdentity: string
  readonly leaseDurationSeconds: number
}

export interface NodeRef {
  readonly name: string
  readonly uid: string
}

export interface Prepared {
  readonly lease: Lease
  /** Without an owner nothing may be sent: a lease nobody owns is never collected. */
  readonly owned: boolean
}

/**
 * Unlike the kubelet we write our own holder into every renewal. After `--leave` the holder is
 * empty, and after a reinstall it is another machine: copying either would keep a lease that is not
 * ours alive.
 */
export function leaseToSend(
  base: Lease | undefined,
  wish: LeaseWish,
  node: NodeRef | undefined,
  nowMs: number,
): Prepared {
  const seen = base ?? { metadata: { name: wish.nodeName, namespace: NODE_LEASE_NAMESPACE } }
  const owners = ownersOf(base, node)
  const lease: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...seen.metadata, ...(owners.length > 0 && { ownerReferences: owners }) },
    spec: {
      ...base?.spec,
      holderIdentity: wish.holderIdentity,
      leaseDurationSeconds: wish.leaseDurationSeconds,
      renewTime: formatMicroTime(nowMs * 1_000),
    },
  }
  return { lease, owned: owners.length > 0 }
}

export const hasOwner = (lease: Lease | undefined): boolean =>
  (lease?.metadata.ownerReferences?.length ?? 0) > 0

/**
 * An owner that is there is never corrected, even with an outdated uid: the collector settles that.
 */
function ownersOf(base: Lease | undefined, node: NodeRef | undefined): readonly OwnerReference[] {
  if (hasOwner(base)) return base?.metadata.ownerReferences ?? []
  if (!node) return []
  return [{ apiVersion: 'v1', kind: 'Node', name: node.name, uid: node.uid }]
}
