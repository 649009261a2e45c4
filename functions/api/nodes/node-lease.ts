/** What ties a Node and its Lease together when one of them is created or deleted alone. */
import { nodeNameOf } from '../../../shared/auth/subject.ts'
import { leases as leaseResource } from '../../../shared/kube/lease/resource.ts'
import type { KubeObject } from '../../../shared/kube/objects.ts'
import { forbidden, modified } from '../../../shared/kube/status-error.ts'
import { nodeLeaseNamespace, ownerUidOf } from '../../../shared/store/lease-state.ts'
import type { Store, StoredLease, StoredObject } from '../../../shared/store/ports.ts'
import type { ResourceRequest } from '../deps.ts'

/** The host goes on renewing meanwhile; only a renewal or two can come in between. */
const TRIES = 5

/**
 * A node token is valid as long as its Node. A renewal compares the uid in its own write; the
 * creation of a lease has nothing to compare with, so it reads the Node.
 */
export async function requireNodeOfToken(request: ResourceRequest): Promise<void> {
  const { api, identity, resource } = request
  const name = nodeNameOf(identity)
  if (resource.plural !== 'leases' || !name || identity.nodeUid === undefined) return
  const node = await api.store.objects.get('nodes', { namespace: '', name }, 'lean')
  if (node?.uid === identity.nodeUid) return
  throw forbidden(resource, name, 'this token was issued for a Node that is gone; join again')
}

/**
 * A lease without an owner was left behind by a Node that was deleted alone, or made by hand. The
 * first write with a node's token gives it to the Node of that token, if that is still there: from
 * then on renewals compare it.
 */
export async function withOwner(
  request: ResourceRequest,
  object: KubeObject,
  old: KubeObject,
): Promise<KubeObject> {
  const { identity, resource, key } = request
  const isOwned = resource.plural !== 'leases' || ownerUidOf(old.metadata) !== undefined
  if (isOwned || key.namespace !== nodeLeaseNamespace) return object
  await requireNodeOfToken(request)
  if (identity.nodeUid === undefined || object.metadata.ownerReferences?.length) return object
  const owner = { apiVersion: 'v1', kind: 'Node', name: key.name, uid: identity.nodeUid }
  return { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } }
}

/**
 * Before a Lease is deleted its last heartbeat moves to the Node, so that a living host is not
 * declared dead; its next renewal creates a new lease. A renewal that comes in between makes the
 * deletion lose its race.
 */
export async function keepLastHeartbeat(store: Store, lease: StoredLease): Promise<void> {
  const { key, receivedAtMs } = lease
  if (key.namespace !== nodeLeaseNamespace || receivedAtMs === undefined) return
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const node = await store.objects.get('nodes', { namespace: '', name: key.name })
    if (!node || !isOf(lease, node) || (node.receivedAtMs ?? 0) >= receivedAtMs) return
    const { object, fields } = node
    const step = { do: 'replaceObject', believed: node, object, fields, receivedAtMs } as const
    if ((await store.commit([step])).kind === 'committed') return
  }
  throw modified(leaseResource, key.name)
}

function isOf({ object }: StoredLease, { uid }: StoredObject): boolean {
  return (ownerUidOf(object.metadata) ?? uid) === uid
}

/**
 * Before a Node is deleted with the policy Orphan: its Lease stays, without an owner. If the api
 * dies before the Node is deleted, the next renewal adds the owner again.
 */
export async function orphanLease({ leases }: Store, { metadata }: KubeObject): Promise<void> {
  const { name = '', uid = '' } = metadata
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const lease = await leases.get({ namespace: nodeLeaseNamespace, name })
    if (!lease?.object.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return
    if ((await leases.replace(orphaned(lease, uid), lease)).kind === 'replaced') return
  }
  throw modified(leaseResource, name)
}

function orphaned({ object }: StoredLease, uid: string) {
  const { ownerReferences = [], ...metadata } = object.metadata
  const left = ownerReferences.filter((owner) => owner.uid !== uid)
  return { ...object, metadata: { ...metadata, ...(left.length > 0 && { ownerReferences: left }) } }
}
