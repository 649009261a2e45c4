/**
 * Which token does this caller get for this node name? Bootstrap token -> joining token -> node
 * token -> node token. All are signed by the node key; each of the first two steps is one
 * conditional write.
 */
import { conflict, unauthorized } from '../../kube/status-error.ts'
import { putJoin, readJoin, withToken } from '../join/join-record.ts'
import { joinMachine } from '../join/machine-join.ts'
import { isBootstrapper, joiningNameOf, nodeNameOf, nodeResource } from '../subject.ts'
import {
  type IssuedToken,
  type IssuerDeps,
  nodeToken,
  refuseToken,
  type TokenRequest,
  uidOfNode,
} from './node-token.ts'
import { isRevokedBy, readRevocations } from './revocations.ts'

/** Hosts that race for one bootstrap token lose a write each time another host wins. */
const ATTEMPTS = 5

export async function issueToken(deps: IssuerDeps, request: TokenRequest): Promise<IssuedToken> {
  const { identity, nodeName } = request
  if (isBootstrapper(identity)) return untilWritten(deps, request, joinMachine)
  await refuseRevoked(deps, request)
  if (joiningNameOf(identity) === nodeName) return untilWritten(deps, request, exchange)
  if (nodeNameOf(identity) === nodeName) return untilWritten(deps, request, renew)
  throw refuseToken(
    request,
    'ask with a bootstrap token, a joining token or the token of this node',
  )
}

/**
 * Read anew, never from the cache: a revoked token that were renewed while the cache is still old
 * would get a successor issued after the revocation, which the revocation does not cover.
 */
async function refuseRevoked({ store }: IssuerDeps, { identity }: TokenRequest): Promise<void> {
  const found = await readRevocations(store.records)
  const { user, issuedAtSeconds = 0 } = identity
  if (isRevokedBy(found?.value[user], issuedAtSeconds)) throw unauthorized()
}

type Attempt = (deps: IssuerDeps, request: TokenRequest) => Promise<IssuedToken | 'outrun'>

async function untilWritten(
  deps: IssuerDeps,
  request: TokenRequest,
  attempt: Attempt,
): Promise<IssuedToken> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const issued = await attempt(deps, request)
    if (issued !== 'outrun') return issued
  }
  throw conflict(nodeResource, request.nodeName, 'others are joining at this moment; try again')
}

/** Its Node exists now, created by this machine: no other one had a token for the name. */
async function exchange(deps: IssuerDeps, request: TokenRequest): Promise<IssuedToken | 'outrun'> {
  const { store } = deps
  const { nodeName, nowMs } = request
  const found = await readJoin(store, nodeName)
  if (found?.value.tokenId !== request.identity.tokenId || !found) {
    throw refuseToken(request, 'this joining token has been replaced by a newer one; join again')
  }
  const nodeUid = await uidOfNode(store, request)
  if ((found.value.nodeUid ?? nodeUid) !== nodeUid) {
    throw refuseToken(request, 'the Node that was joined is gone; join again')
  }
  const issued = await nodeToken(deps, request, nodeUid)
  const join = withToken({ ...found.value, nodeUid }, issued)
  const commit = await store.commit([putJoin({ nodeName, join, believed: found.version, nowMs })])
  return commit.kind === 'committed' ? issued : 'outrun'
}

async function renew(deps: IssuerDeps, request: TokenRequest): Promise<IssuedToken | 'outrun'> {
  const { store } = deps
  const { nodeName, nowMs, identity } = request
  const nodeUid = await uidOfNode(store, request)
  if (nodeUid !== identity.nodeUid) {
    throw refuseToken(request, 'this token was issued for another Node of this name; join again')
  }
  const issued = await nodeToken(deps, request, nodeUid)
  const found = await readJoin(store, nodeName)
  // Without a record there is no proof to join again with, and nothing to extend.
  if (!found) return issued
  const join = withToken(found.value, issued)
  const commit = await store.commit([putJoin({ nodeName, join, believed: found.version, nowMs })])
  return commit.kind === 'committed' ? issued : 'outrun'
}
