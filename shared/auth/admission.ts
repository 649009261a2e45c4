/**
 * May this caller make this change? What an authoriser cannot see because it needs the objects.
 * Runs on create, update, patch and delete, after authorisation and before the version check and
 * validation.
 */
import type { KubeObject } from '../kube/objects.ts'
import { forbidden, notFound } from '../kube/status-error.ts'
import {
  type AdmissionRequest,
  type AdmissionVerdict,
  allowed,
  forbid,
} from './admission-verdict.ts'
import { changedKeys, isSteering } from './label-rule.ts'
import { restrictNode } from './node-restriction.ts'
import { groupNames, inAnyGroup, joiningNameOf, nodeNameOf } from './subject.ts'

export function admit(request: AdmissionRequest): AdmissionVerdict {
  const steered = steering(request)
  if (steered.kind !== 'allowed') return steered
  const nodeName = nodeNameOf(request.identity) ?? joiningNameOf(request.identity)
  return nodeName === undefined ? allowed : restrictNode(request, nodeName)
}

/**
 * Only operators steer: a node that could set its own grace period or maintenance would never be
 * found dead.
 */
function steering({ identity, object, old }: AdmissionRequest): AdmissionVerdict {
  if (!object || inAnyGroup(identity, groupNames.masters, groupNames.operators)) return allowed
  const { labels, annotations } = object.metadata
  const changed = [
    ...changedKeys(labels, old?.metadata.labels),
    ...changedKeys(annotations, old?.metadata.annotations),
  ].filter(isSteering)
  if (changed.length === 0) return allowed
  return forbid(`only members of ${groupNames.operators} may change ${changed.join(', ')}`)
}

/**
 * The same as a step of the api: reads the caller's Node where it is needed, and throws what the
 * client is told.
 */
export function createAdmission(readNode: (name: string) => Promise<KubeObject | undefined>) {
  return async (request: AdmissionRequest): Promise<void> => {
    const verdict = admit(await withNode(request, readNode))
    const { resource, key } = request
    if (verdict.kind === 'forbidden') throw forbidden(resource, key.name, verdict.reason)
    if (verdict.kind === 'notFound') throw notFound(verdict.resource, verdict.name)
  }
}

/**
 * Neither a pod nor an Event carries the uid of the Node it is about, so the Node itself is asked:
 * a token dies with it. Both are rare; no beat and no status of a Node ever comes this way.
 */
const ASKS_THE_NODE: readonly string[] = ['pods', 'events']

async function withNode(
  request: AdmissionRequest,
  readNode: (name: string) => Promise<KubeObject | undefined>,
): Promise<AdmissionRequest> {
  const { resource, identity, key } = request
  const nodeName = nodeNameOf(identity)
  if (!nodeName || !ASKS_THE_NODE.includes(resource.plural)) return request
  const node = await readNode(nodeName)
  if (identity.nodeUid !== undefined && node?.metadata.uid !== identity.nodeUid) {
    throw forbidden(resource, key.name, 'this token was issued for a Node that is gone; join again')
  }
  return node ? { ...request, node } : request
}
