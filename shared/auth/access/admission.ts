/**
 * May this caller make this change? The rules that need the objects, which an authoriser does not
 * see. Runs on create, update, patch and delete, after authorisation and before the version check
 * and validation.
 */
import type { KubeObject } from '../../kube/objects.ts'
import { forbidden, notFound } from '../../kube/status-error.ts'
import { groupNames, inAnyGroup, joiningNameOf, nodeNameOf } from '../subject.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { isClosedTo, SERVICE_LEASE } from './authorizer.ts'
import { changedKeys, isOperatorKey } from './label-rule.ts'
import { restrictNode } from './node-restriction.ts'

export function decideAdmission(request: AdmissionRequest): AdmissionVerdict {
  const { identity, resource, key } = request
  // The path of a create has no name, and that of a deleted collection neither: here both have one.
  const lease = { group: resource.group, resource: resource.plural, ...key }
  if (isClosedTo(identity, lease)) return forbid(SERVICE_LEASE)
  const verdict = restrictOperatorKeys(request)
  if (verdict.kind !== 'allowed') return verdict
  const nodeName = nodeNameOf(request.identity) ?? joiningNameOf(request.identity)
  return nodeName === undefined ? allowed : restrictNode(request, nodeName)
}

/** A node that could set its own grace period or maintenance could never be found dead. */
function restrictOperatorKeys({ identity, object, old }: AdmissionRequest): AdmissionVerdict {
  if (!object || inAnyGroup(identity, groupNames.masters, groupNames.operators)) return allowed
  const { labels, annotations } = object.metadata
  const changed = [
    ...changedKeys(labels, old?.metadata.labels),
    ...changedKeys(annotations, old?.metadata.annotations),
  ].filter(isOperatorKey)
  if (changed.length === 0) return allowed
  return forbid(`only members of ${groupNames.operators} may change ${changed.join(', ')}`)
}

/** For the api: reads the caller's Node where needed, and throws the StatusError for the client. */
export function createAdmission(readNode: (name: string) => Promise<KubeObject | undefined>) {
  return async (request: AdmissionRequest): Promise<void> => {
    const verdict = decideAdmission(await withNode(request, readNode))
    const { resource, key } = request
    if (verdict.kind === 'forbidden') throw forbidden(resource, key.name, verdict.reason)
    if (verdict.kind === 'notFound') throw notFound(verdict.resource, verdict.name)
  }
}

/**
 * A pod, an Event or a CSINode need not carry the uid of its Node, so the Node is read: a token is
 * void once its Node is deleted. All are rare; renewals and node status never need this read.
 */
const NEEDS_NODE_READ: readonly string[] = ['pods', 'events', 'csinodes']

async function withNode(
  request: AdmissionRequest,
  readNode: (name: string) => Promise<KubeObject | undefined>,
): Promise<AdmissionRequest> {
  const { resource, identity, key } = request
  const nodeName = nodeNameOf(identity)
  if (!nodeName || !NEEDS_NODE_READ.includes(resource.plural)) return request
  const node = await readNode(nodeName)
  if (identity.nodeUid !== undefined && node?.metadata.uid !== identity.nodeUid) {
    throw forbidden(resource, key.name, 'this token was issued for a Node that is gone; join again')
  }
  return node ? { ...request, node } : request
}
