/** A machine comes with a bootstrap token: judge it, count it and remember it, in one write. */
import type { Step, Store } from '../store/ports.ts'
import { readBootstrapToken, type StoredBootstrapToken, useUp } from './bootstrap-tokens.ts'
import { CLOCK_LEEWAY_SECONDS } from './claims.ts'
import { hashProof, type Join, type JoinFacts, type JoinVerdict, judgeJoin } from './join.ts'
import { putJoin, readJoin } from './join-record.ts'
import {
  type Ask,
  type Given,
  type IssuerDeps,
  joiningToken,
  nodeToken,
  refuse,
} from './node-token.ts'
import { readRevocations, revoke } from './revocations.ts'
import { nodeUser } from './subject.ts'

type Welcome = Exclude<JoinVerdict, { readonly kind: 'refused' }>

export async function admitMachine(deps: IssuerDeps, ask: Ask): Promise<Given | 'outrun'> {
  const { store } = deps
  const { nodeName, nowMs } = ask
  const bootstrap = await readPresented(store, ask)
  const found = await readJoin(store, nodeName)
  const facts = await gather(store, ask, found?.value)
  const verdict = judgeJoin(facts)
  if (verdict.kind === 'refused') throw refuse(ask, verdict.reason)
  const used = count(ask, bootstrap, verdict, found?.value)

  // Signed before anything is used up: if signing fails, nothing was lost.
  const given = await (verdict.kind === 'rejoin'
    ? nodeToken(deps, ask, verdict.uid)
    : joiningToken(deps, ask))
  const join: Join = {
    tokenId: given.tokenId,
    bootstrapId: bootstrap.value.id,
    proofHash: facts.proofHash,
    nodeUid: given.nodeUid,
    reservedUntilMs: reservedUntilMs(verdict, given, found?.value),
    rejoinUsed: (verdict.kind === 'rejoin' && verdict.permission) || found?.value.rejoinUsed,
  }
  const remembered = putJoin({ nodeName, join, believed: found?.version, nowMs })
  const revoked = await cutOff(store, ask, verdict, given)
  const commit = await store.commit([remembered, ...used, ...revoked])
  return commit.kind === 'committed' ? given : 'outrun'
}

async function readPresented(store: Store, ask: Ask): Promise<StoredBootstrapToken> {
  const id = ask.identity.user.slice('system:bootstrap:'.length)
  const bootstrap = await readBootstrapToken(store.records, id)
  if (!bootstrap) throw refuse(ask, 'the bootstrap token was revoked')
  return bootstrap
}

async function gather(store: Store, ask: Ask, join: Join | undefined): Promise<JoinFacts> {
  const { nodeName: name, nowMs, proof } = ask
  const node = await store.objects.get('nodes', { namespace: '', name })
  const lease = node && (await store.leases.get({ namespace: 'kube-node-lease', name }))
  const proofHash = proof === undefined ? undefined : hashProof(proof)
  return { join, node: node?.object, lease, proofHash, nowMs }
}

/**
 * As long as some joining token for the name may live: one that rejoins gets none, but may have
 * one.
 */
function reservedUntilMs(verdict: Welcome, given: Given, before: Join | undefined): number {
  if (verdict.kind === 'rejoin') return before?.reservedUntilMs ?? 0
  // A verifier may accept the token a little past its end.
  return given.expiresAtMs + CLOCK_LEEWAY_SECONDS * 1000
}

/** A machine that asks twice because an answer was lost is still one machine. */
function count(ask: Ask, bootstrap: StoredBootstrapToken, verdict: Welcome, join?: Join) {
  const known = join?.bootstrapId === bootstrap.value.id
  if (verdict.kind === 'join' && verdict.again && known) return []
  const used = useUp(bootstrap)
  if (used === 'usedUp') throw refuse(ask, 'the bootstrap token has been used as often as it may')
  return used
}

/** An operator let another machine in: what the one before it holds stops working. */
async function cutOff(store: Store, ask: Ask, verdict: Welcome, given: Given): Promise<Step[]> {
  if (verdict.kind !== 'rejoin' || verdict.permission === undefined) return []
  const subject = nodeUser(ask.nodeName)
  const revocation = { subject, issuedBeforeSeconds: given.issuedAtSeconds }
  return [revoke(await readRevocations(store.records), revocation, ask.nowMs)]
}
