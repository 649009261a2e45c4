/** The two tokens a host can get, both signed by the node key, and what is needed to make them. */
import { forbidden, notFound } from '../kube/status-error.ts'
import type { Store } from '../store/ports.ts'
import { lifetimeSeconds } from './claims.ts'
import type { Identity } from './identity.ts'
import { type SignedToken, type Signer, signToken, type TokenOrder } from './signer.ts'
import { groupNames, nodeUser } from './subject.ts'
import type { Issued } from './token-verifier.ts'

export interface IssuerDeps extends Issued {
  readonly store: Store
  /** Of the node role. Asked for only when a token is signed, so that no beat waits for KMS. */
  readonly signer: () => Promise<Signer>
  readonly newId: () => string
}

export interface Ask {
  readonly identity: Identity
  readonly nodeName: string
  readonly lifetimeSeconds: number
  /** A secret of the machine, which lets it back in after losing its files. */
  readonly proof?: string
  readonly nowMs: number
}

export interface Given extends SignedToken {
  readonly nodeUid?: string
}

const nodes = { group: '', plural: 'nodes', kind: 'Node' }

export const refuse = ({ nodeName }: Ask, reason: string) => forbidden(nodes, nodeName, reason)

export async function uidOfNode(store: Store, name: string): Promise<string> {
  const node = await store.objects.get('nodes', { namespace: '', name })
  if (!node) throw notFound(nodes, name)
  return node.uid
}

export function joiningToken(deps: IssuerDeps, ask: Ask): Promise<Given> {
  return sign(deps, ask, {
    groups: [groupNames.joining],
    lifetimeSeconds: lifetimeSeconds.joining,
  })
}

export function nodeToken(deps: IssuerDeps, ask: Ask, nodeUid: string): Promise<Given> {
  const asked = { lifetimeSeconds: ask.lifetimeSeconds, nodeUid }
  return sign(deps, ask, { groups: [groupNames.nodes], ...asked })
}

type Varying = Pick<TokenOrder, 'groups' | 'lifetimeSeconds' | 'nodeUid'>

async function sign(deps: IssuerDeps, { nodeName, nowMs }: Ask, varying: Varying): Promise<Given> {
  const { issuer, audience, newId } = deps
  const order = { issuer, audience, user: nodeUser(nodeName), tokenId: newId(), nowMs, ...varying }
  return { ...(await signToken(await deps.signer(), order)), nodeUid: varying.nodeUid }
}
