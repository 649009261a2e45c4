/** A machine joins with a bootstrap token: checked, counted and stored in one write. */
import type { Store, WriteStep } from '../../store/ports.ts'
import { nodeUser } from '../subject.ts'
import { CLOCK_LEEWAY_SECONDS } from '../tokens/claims.ts'
import {
  type IssuedToken,
  type IssuerDeps,
  joiningToken,
  nodeToken,
  refuseToken,
  type TokenRequest,
} from '../tokens/node-token.ts'
import {
  REJOIN_REVOCATIONS_LIMIT,
  REVOCATIONS_LIMIT,
  readRevocations,
  revoke,
} from '../tokens/revocations.ts'
import { consumeUse, readBootstrapToken, type StoredBootstrapToken } from './bootstrap-tokens.ts'
import { hashProof, type JoinFacts, type JoinRecord, type JoinVerdict, judgeJoin } from './join.ts'
import { putJoin, readJoin, withToken } from './join-record.ts'

interface Rejoined {
  readonly rejoin: Extract<JoinVerdict, { readonly kind: 'rejoin' }>
  readonly issued: IssuedToken
  readonly before: JoinRecord | undefined
}

type AllowedJoin = Exclude<JoinVerdict, { readonly kind: 'refused' }>

export async function joinMachine(
  deps: IssuerDeps,
  request: TokenRequest,
): Promise<IssuedToken | 'outrun'> {
  const { store } = deps
  const { nodeName, nowMs } = request
  const bootstrap = await readPresented(store, request)
  const found = await readJoin(store, nodeName)
  const facts = await readFacts(store, request, found?.value)
  const verdict = judgeJoin(facts)
  if (verdict.kind === 'refused') throw refuseToken(request, verdict.reason)
  const used = countUse(request, bootstrap, verdict, found?.value)

  // Signed before the use is counted: if signing fails, nothing was lost.
  const issued = await (verdict.kind === 'rejoin'
    ? nodeToken(deps, request, verdict.uid)
    : joiningToken(deps, request))
  const first: JoinRecord = {
    tokenId: issued.tokenId,
    bootstrapId: bootstrap.value.id,
    proofHash: facts.proofHash,
    nodeUid: issued.nodeUid,
    reservedUntilMs: reservedUntilMs(verdict, issued, found?.value),
    rejoinUsed: (verdict.kind === 'rejoin' && verdict.permission) || found?.value.rejoinUsed,
  }
  const join = verdict.kind === 'rejoin' ? withToken(first, issued) : first
  const remembered = putJoin({ nodeName, join, believed: found?.version, nowMs })
  const before = found?.value
  const revoked =
    verdict.kind === 'rejoin'
      ? await revokePrevious(deps, request, { rejoin: verdict, issued, before })
      : []
  const commit = await store.commit([remembered, ...used, ...revoked])
  return commit.kind === 'committed' ? issued : 'outrun'
}

async function readPresented(store: Store, request: TokenRequest): Promise<StoredBootstrapToken> {
  const id = request.identity.user.slice('system:bootstrap:'.length)
  const bootstrap = await readBootstrapToken(store.records, id)
  if (!bootstrap) throw refuseToken(request, 'the bootstrap token was revoked')
  return bootstrap
}

async function readFacts(
  store: Store,
  request: TokenRequest,
  join: JoinRecord | undefined,
): Promise<JoinFacts> {
  const { nodeName: name, nowMs, proof } = request
  const node = await store.objects.get('nodes', { namespace: '', name })
  const lease = node && (await store.leases.get({ namespace: 'kube-node-lease', name }))
  const proofHash = proof === undefined ? undefined : hashProof(proof)
  return { join, node: node?.object, lease, proofHash, nowMs }
}

/** As long as a joining token for the name may be valid: a rejoin issues none, but may follow one. */
function reservedUntilMs(
  verdict: AllowedJoin,
  issued: IssuedToken,
  before: JoinRecord | undefined,
): number {
  if (verdict.kind === 'rejoin') return before?.reservedUntilMs ?? 0
  // A verifier may accept the token a little past its expiry.
  return issued.expiresAtMs + CLOCK_LEEWAY_SECONDS * 1000
}

/** A machine that asks again, because an answer was lost, is counted once. */
function countUse(
  request: TokenRequest,
  bootstrap: StoredBootstrapToken,
  verdict: AllowedJoin,
  join?: JoinRecord,
) {
  const known = join?.bootstrapId === bootstrap.value.id
  if (verdict.kind === 'join' && verdict.again && known) return []
  const used = consumeUse(bootstrap)
  if (used === 'usedUp')
    throw refuseToken(request, 'the bootstrap token has been used as often as it may')
  return used
}

/**
 * Once a machine has joined again, every earlier token of its Node is void, in whose hands it may
 * be. None is left to revoke where all have run out or their key is believed no more, so that a
 * whole fleet which comes back after a rotation does not meet in one record.
 */
async function revokePrevious(
  { store, believesKey = () => true }: IssuerDeps,
  request: TokenRequest,
  { rejoin, issued, before }: Rejoined,
): Promise<readonly WriteStep[]> {
  const { tokensUntilMs = Number.POSITIVE_INFINITY, tokenKey } = before ?? {}
  const isAllowed = rejoin.permission !== undefined
  const areVoid =
    request.nowMs >= tokensUntilMs + CLOCK_LEEWAY_SECONDS * 1000 ||
    (tokenKey !== undefined && !believesKey(tokenKey))
  if (areVoid) return []
  const subject = nodeUser(request.nodeName)
  const revocation = { subject, issuedBeforeSeconds: issued.issuedAtSeconds }
  const limit = isAllowed ? REVOCATIONS_LIMIT : REJOIN_REVOCATIONS_LIMIT
  return [revoke(await readRevocations(store.records), revocation, request.nowMs, limit)]
}
