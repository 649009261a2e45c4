/** What may a node change? Kubernetes' NodeRestriction: parts of its own Node, Lease and Pods. */
import { isDeepStrictEqual } from 'node:util'
import { isForbiddenNodeLabel } from '../../kube/node/well-known.ts'
import type { KubeObject, Node, ObjectReference, OwnerReference } from '../../kube/objects.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { changedKeys } from './label-rule.ts'
import { restrictPod } from './pod-restriction.ts'

const LEASES = 'kube-node-lease'

export function restrictNode(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  if (nodeName === '') return forbid('this user is a node without a name')
  const { group, plural } = request.resource
  if (group === 'coordination.k8s.io' && plural === 'leases') return ownLease(request, nodeName)
  if (group === 'storage.k8s.io' && plural === 'csinodes') return ownCsiNode(request, nodeName)
  if (plural === 'events') return ownEvent(request, nodeName)
  if (group !== '') return allowed
  if (plural === 'nodes') return ownNode(request, nodeName)
  return plural === 'pods' ? restrictPod(request, nodeName) : allowed
}

function ownLease(request: AdmissionRequest, nodeName: string): AdmissionVerdict {
  const { operation, key, identity, object, old } = request
  if (object && changesFinalizers(object, old)) return forbid(NO_FINALIZERS)
  if (key.namespace !== LEASES) {
    return forbid(`can only access leases in the "${LEASES}" system namespace`)
  }
  // The path of a create has no name: the name in the body counts.
  const name = operation === 'create' ? object?.metadata.name : key.name
  if (name !== nodeName) return forbid("can only access the node's own lease")
  return identity.nodeUid === undefined ? allowed : boundLease(request, identity.nodeUid)
}

function ownCsiNode({ operation, key, object }: AdmissionRequest, nodeName: string) {
  const name = operation === 'create' ? object?.metadata.name : key.name
  if (name === nodeName) return allowed
  return forbid('can only access CSINode with the same name as the requesting node')
}

/** An Event of either group, as far as it says who tells it and about what. */
interface ToldEvent extends KubeObject {
  readonly source?: { readonly host?: string }
  readonly deprecatedSource?: { readonly host?: string }
  readonly reportingInstance?: string
  readonly involvedObject?: ObjectReference
  readonly regarding?: ObjectReference
}

/**
 * Kubernetes lets every node write every Event. Here the monitor tells by them whom it condemned and
 * why: a host that could change those would tell people another story.
 */
function ownEvent({ object, old }: AdmissionRequest, nodeName: string): AdmissionVerdict {
  for (const event of [old, object] as (ToldEvent | undefined)[]) {
    if (!event) continue
    const { source, deprecatedSource, reportingInstance, involvedObject, regarding } = event
    const tellers = [source?.host, deprecatedSource?.host, reportingInstance].filter(Boolean)
    if (tellers.length === 0 || tellers.some((host) => host !== nodeName)) {
      return forbid(`can only write Events whose source.host is "${nodeName}"`)
    }
    const about = involvedObject ?? regarding
    if (about?.kind === 'Node' && about.name !== nodeName) {
      return forbid('can only write Events about its own Node and about other kinds')
    }
  }
  return allowed
}

/** A token is bound to the uid of its Node: the next Node of this name has another uid. */
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
    // Deleting a Node makes its token void: the host must join again.
    if (creating)
      return forbid('this token was issued for a Node that exists or was deleted; join again')
    if (old && old.metadata.uid !== identity.nodeUid) {
      return forbid('this token was issued for another Node of this name; join again')
    }
  }
  return object ? changeOfNode(object, old) : allowed
}

/** With a finalizer of its own a host would live on after its Node was deleted. */
const NO_FINALIZERS = 'is not allowed to modify finalizers'

const changesFinalizers = ({ metadata }: KubeObject, old: KubeObject | undefined): boolean =>
  !isDeepStrictEqual(metadata.finalizers ?? [], old?.metadata.finalizers ?? [])

function changeOfNode(object: Node, old: Node | undefined): AdmissionVerdict {
  const source = configSource(object)
  if (source !== undefined && !isDeepStrictEqual(source, old && configSource(old))) {
    return forbid('is not allowed to set configSource')
  }
  if (old && !isDeepStrictEqual(object.spec?.taints ?? [], old.spec?.taints ?? [])) {
    return forbid('is not allowed to modify taints')
  }
  if (changesFinalizers(object, old)) return forbid(NO_FINALIZERS)
  if (old && !isDeepStrictEqual(owners(object), owners(old))) {
    return forbid('is not allowed to modify ownerReferences')
  }
  const labels = changedKeys(object.metadata.labels, old?.metadata.labels)
  const bad = labels.filter(isForbiddenNodeLabel)
  return bad.length === 0 ? allowed : forbid(`is not allowed to modify labels: ${bad.join(', ')}`)
}

/** Removed from Kubernetes, but still refused there. */
const configSource = (node: Node) =>
  (node.spec as { readonly configSource?: unknown } | undefined)?.configSource ?? undefined
