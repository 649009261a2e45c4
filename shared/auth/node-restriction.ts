/**
 * What may a node change? Kubernetes' NodeRestriction: its own Node, Lease and Pods, and of those
 * not everything.
 */
import { isDeepStrictEqual } from 'node:util'
import type { KubeObject, Node, OwnerReference } from '../kube/objects.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { changedKeys, isForbiddenNodeLabel } from './label-rule.ts'
import { restrictPod } from './pod-restriction.ts'

const LEASES = 'kube-node-lease'

export function restrictNode(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  if (nodeName === '') return forbid('this user is a node without a name')
  const { group, plural } = request.resource
  if (group === 'coordination.k8s.io' && plural === 'leases') return ownLease(request, nodeName)
  if (group !== '') return allowed
  if (plural === 'nodes') return ownNode(request, nodeName)
  return plural === 'pods' ? restrictPod(request, nodeName) : allowed
}

function ownLease(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  const { operation, key, identity, object } = request
  if (key.namespace !== LEASES) {
    return forbid(`can only access leases in the "${LEASES}" system namespace`)
  }
  // On create the path names nobody: the name in the body counts.
  const name = operation === 'create' ? object?.metadata.name : key.name
  if (name !== nodeName) return forbid("can only access the node's own lease")
  return identity.nodeUid === undefined ? allowed : boundLease(request, identity.nodeUid)
}

/**
 * A token outlives neither its Node nor that Node's lease: the next Node of this name has another
 * uid.
 */
function boundLease(
  { operation, object, old }: AdmissionRequest,
  nodeUid: string,
): AdmissionVerdict {
  const foreign = (lease: KubeObject) =>
    owners(lease).some((owner) => owner.kind === 'Node' && owner.uid !== nodeUid)
  if (old && foreign(old)) return forbid('the lease belongs to another Node of this name')
  const unowned = operation === 'create' && object && owners(object).length === 0
  if (unowned || (object && foreign(object))) {
    return forbid('the lease must be owned by the Node this token was issued for')
  }
  return allowed
}

const owners = ({ metadata }: KubeObject): readonly OwnerReference[] =>
  metadata.ownerReferences ?? []

function ownNode(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  const { operation, key, identity, object, old } = request
  const creating = operation === 'create'
  const name = creating ? object?.metadata.name : key.name
  if (name !== nodeName)
    return forbid(`node "${nodeName}" is not allowed to modify node "${name ?? ''}"`)
  if (identity.nodeUid !== undefined) {
    // Deleting a Node takes its token's power away: what the host does next is join again.
    if (creating)
      return forbid('this token was issued for a Node that exists or was deleted; join again')
    if (old && old.metadata.uid !== identity.nodeUid) {
      return forbid('this token was issued for another Node of this name; join again')
    }
  }
  return object ? changeOfNode(object, old) : allowed
}

function changeOfNode(object: Node, old: Node | undefined): AdmissionVerdict {
  const source = configSource(object)
  if (source !== undefined && !isDeepStrictEqual(source, old && configSource(old))) {
    return forbid('is not allowed to set configSource')
  }
  if (old && !isDeepStrictEqual(object.spec?.taints ?? [], old.spec?.taints ?? [])) {
    return forbid('is not allowed to modify taints')
  }
  if (old && !isDeepStrictEqual(owners(object), owners(old))) {
    return forbid('is not allowed to modify ownerReferences')
  }
  const labels = changedKeys(object.metadata.labels, old?.metadata.labels)
  const bad = labels.filter(isForbiddenNodeLabel)
  return bad.length === 0 ? allowed : forbid(`is not allowed to modify labels: ${bad.join(', ')}`)
}

/** Long gone from Kubernetes, refused as ever. */
const configSource = (node: Node) =>
  (node.spec as { readonly configSource?: unknown } | undefined)?.configSource ?? undefined
