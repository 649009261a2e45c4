/**
 * Does the Node that a host's token was issued for still exist? A write compares the uid itself; a
 * read has nothing to compare with, so the Node is asked for, at most once in a while.
 */
import { readJoin } from '../../../shared/auth/join/join-record.ts'
import { joiningNameOf, nodeNameOf } from '../../../shared/auth/subject.ts'
import { forbidden } from '../../../shared/kube/status-error.ts'
import type { ResourceRequest } from '../deps.ts'

export async function requireLivingNode(request: ResourceRequest): Promise<void> {
  const { api, identity, resource, nowMs } = request
  const name = nodeNameOf(identity)
  const { nodeUid } = identity
  if (!name || nodeUid === undefined) return
  if ((await api.nodeUids(name, nowMs, nodeUid)) === nodeUid) return
  const why = 'this token was issued for a Node that is gone; join again'
  throw forbidden(resource, request.key.name, why)
}

/** A joining token creates one Node, once: it must not bring back what an operator deleted. */
export async function requireFreshJoin({ api, identity, resource }: ResourceRequest) {
  const name = joiningNameOf(identity)
  if (!name || resource.plural !== 'nodes') return
  const join = (await readJoin(api.store, name))?.value
  if (!join || (join.nodeUid === undefined && join.tokenId === identity.tokenId)) return
  throw forbidden(resource, name, 'this joining token has been used or replaced; join again')
}
