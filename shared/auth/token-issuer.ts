/**
 * Which token does this caller get for this node name? Bootstrap token -> joining token -> node
 * token -> node token, each step by the node key alone, and each that uses something up one
 * conditional write.
 */
import { conflict, unauthorized } from '../kube/status-error.ts'
import { putJoin, readJoin } from './join-record.ts'
import { admitMachine } from './machine-join.ts'
import {
  type Ask,
  type Given,
  type IssuerDeps,
  nodeToken,
  refuse,
  uidOfNode,
} from './node-token.ts'
import { isRevokedBy, readRevocations } from './revocations.ts'
import { isBootstrapper, joiningNameOf, nodeNameOf } from './subject.ts'

/** Hosts that race for one bootstrap token lose a write each time another wins. */
const ATTEMPTS = 5

export async function issueToken(deps: IssuerDeps, ask: Ask): Promise<Given> {
  const { identity, nodeName } = ask
  if (isBootstrapper(identity)) return untilWritten(deps, ask, admitMachine)
  await refuseRevoked(deps, ask)
  if (joiningNameOf(identity) === nodeName) return untilWritten(deps, ask, exchange)
  if (nodeNameOf(identity) === nodeName) return renew(deps, ask)
  throw refuse(ask, 'ask with a bootstrap token, a joining token or the token of this node')
}

/**
 * Read anew, however young what the process remembers is: a successor is issued after the
 * revocation, so a token that is revoked and renewed within those seconds would outlive it.
 */
async function refuseRevoked({ store }: IssuerDeps, { identity }: Ask): Promise<void> {
  const found = await readRevocations(store.records)
  const { user, issuedAtSeconds = 0 } = identity
  if (isRevokedBy(found?.value[user], issuedAtSeconds)) throw unauthorized()
}

type Attempt = (deps: IssuerDeps, ask: Ask) => Promise<Given | 'outrun'>

async function untilWritten(deps: IssuerDeps, ask: Ask, attempt: Attempt): Promise<Given> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const given = await attempt(deps, ask)
    if (given !== 'outrun') return given
  }
  const nodes = { group: '', plural: 'nodes', kind: 'Node' }
  throw conflict(nodes, ask.nodeName, 'others are joining at this moment; try again')
}

/**
 * Its Node is there now, and nobody else could have made it: no other machine held a token for the
 * name.
 */
async function exchange(deps: IssuerDeps, ask: Ask): Promise<Given | 'outrun'> {
  const { store } = deps
  const { nodeName, nowMs } = ask
  const found = await readJoin(store, nodeName)
  if (found?.value.tokenId !== ask.identity.tokenId || !found) {
    throw refuse(ask, 'this joining token has been replaced by a newer one; join again')
  }
  const nodeUid = await uidOfNode(store, nodeName)
  if ((found.value.nodeUid ?? nodeUid) !== nodeUid) {
    throw refuse(ask, 'the Node that was joined is gone; join again')
  }
  const given = await nodeToken(deps, ask, nodeUid)
  const join = { ...found.value, nodeUid }
  const commit = await store.commit([putJoin({ nodeName, join, believed: found.version, nowMs })])
  return commit.kind === 'committed' ? given : 'outrun'
}

async function renew(deps: IssuerDeps, ask: Ask): Promise<Given> {
  const nodeUid = await uidOfNode(deps.store, ask.nodeName)
  if (nodeUid !== ask.identity.nodeUid) {
    throw refuse(ask, 'this token was issued for another Node of this name; join again')
  }
  await keepJoin(deps, ask)
  return nodeToken(deps, ask, nodeUid)
}

/**
 * What is known of the machine is kept as long as it renews. A lost race means it was just written.
 */
async function keepJoin({ store }: IssuerDeps, { nodeName, nowMs }: Ask): Promise<void> {
  const found = await readJoin(store, nodeName)
  if (!found) return
  await store.commit([putJoin({ nodeName, join: found.value, believed: found.version, nowMs })])
}
