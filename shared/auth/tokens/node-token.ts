/** The two tokens of a host, joining and node token, both signed by the node key. */
import { forbidden, notFound } from '../../kube/status-error.ts'
import type { Store } from '../../store/ports.ts'
import type { Identity } from '../identity.ts'
import { BEING_DELETED } from '../join/join.ts'
import { groupNames, nodeResource, nodeUser } from '../subject.ts'
import { lifetimeSeconds } from './claims.ts'
import { type SignedToken, type Signer, signToken, type TokenSpec } from './signer.ts'
import type { IssuerAudience } from './verifier.ts'

export interface IssuerDeps extends IssuerAudience {
  readonly store: Store
  /** Of the node role. Called only when a token is signed, so that no renewal waits for KMS. */
  readonly signer: () => Promise<Signer>
  /** Whether tokens of this key are still believed; absent: they are. */
  readonly believesKey?: (kid: string) => boolean
  readonly newId: () => string
}

export interface TokenRequest {
  readonly identity: Identity
  readonly nodeName: string
  readonly lifetimeSeconds: number
  /** A secret of the machine, by which it can join again once its token is lost or has run out. */
  readonly proof?: string
  readonly nowMs: number
}

export interface IssuedToken extends SignedToken {
  readonly nodeUid?: string
}

export const refuseToken = ({ nodeName }: TokenRequest, reason: string) =>
  forbidden(nodeResource, nodeName, reason)

/** A Node that is being deleted gets no token: its host would outlive it. */
export async function uidOfNode(store: Store, request: TokenRequest): Promise<string> {
  const name = request.nodeName
  const node = await store.objects.get('nodes', { namespace: '', name }, 'lean')
  if (!node) throw notFound(nodeResource, name)
  if (node.object.metadata.deletionTimestamp) throw refuseToken(request, BEING_DELETED)
  return node.uid
}

export function joiningToken(deps: IssuerDeps, request: TokenRequest): Promise<IssuedToken> {
  return sign(deps, request, {
    groups: [groupNames.joining],
    lifetimeSeconds: lifetimeSeconds.joining,
  })
}

export function nodeToken(
  deps: IssuerDeps,
  request: TokenRequest,
  nodeUid: string,
): Promise<IssuedToken> {
  const asked = { lifetimeSeconds: request.lifetimeSeconds, nodeUid }
  return sign(deps, request, { groups: [groupNames.nodes], ...asked })
}

type Varying = Pick<TokenSpec, 'groups' | 'lifetimeSeconds' | 'nodeUid'>

async function sign(
  deps: IssuerDeps,
  { nodeName, nowMs }: TokenRequest,
  varying: Varying,
): Promise<IssuedToken> {
  const { issuer, audience, newId } = deps
  const order = { issuer, audience, user: nodeUser(nodeName), tokenId: newId(), nowMs, ...varying }
  return { ...(await signToken(await deps.signer(), order)), nodeUid: varying.nodeUid }
}
