/**
 * May this machine join under this node name? Pure. It guarantees that at any time at most one machine
 * has a valid joining token for a name, and that no machine gets a token for another machine's Node.
 */
import { createHash } from 'node:crypto'
import type { KubeObject } from '../../kube/objects.ts'
import { formatTime, parseTimeMs } from '../../kube/time.ts'
import { isHeld } from '../../store/lease-state.ts'
import type { StoredLease } from '../../store/ports.ts'

/** Set by an operator to a time: until then one machine may join as this Node, lease or not. */
const REJOIN_UNTIL = 'leasehold.dev/rejoin-until'

/** Which machine joined under a name, as stored. */
export interface JoinRecord {
  /** Of the newest joining token: only that one can be exchanged for a node token. */
  readonly tokenId: string
  readonly bootstrapId: string
  /** Hash of a secret that the machine keeps beside its token; absent when it sent none. */
  readonly proofHash?: string
  /** No other machine may join under the name before. */
  readonly reservedUntilMs: number
  /** Set once the joining token was exchanged. */
  readonly nodeUid?: string
  /** The operator's permission that was used: each works once. */
  readonly rejoinUsed?: string
  /** When the last node token issued for the name runs out, and the key that signed it. */
  readonly tokensUntilMs?: number
  readonly tokenKey?: string
}

export interface JoinFacts {
  readonly join?: JoinRecord
  readonly node?: KubeObject
  readonly lease?: Pick<StoredLease, 'receivedAtMs' | 'expiresAtMs'>
  readonly proofHash?: string
  readonly nowMs: number
}

export type JoinVerdict =
  /** There is no such Node. `again`: the same machine repeats its request, which counts as no new use. */
  | { readonly kind: 'join'; readonly again: boolean }
  /** The Node exists, and this machine may act as it. */
  | { readonly kind: 'rejoin'; readonly uid: string; readonly permission?: string }
  | { readonly kind: 'refused'; readonly reason: string }

export const hashProof = (proof: string) => createHash('sha256').update(proof).digest('base64')

export function judgeJoin(facts: JoinFacts): JoinVerdict {
  return facts.node ? judgeRejoin(facts, facts.node) : judgeFirstJoin(facts)
}

function judgeFirstJoin({ join, proofHash, nowMs }: JoinFacts): JoinVerdict {
  if (!join || nowMs >= join.reservedUntilMs) return { kind: 'join', again: false }
  if (sameMachine(join, proofHash)) return { kind: 'join', again: true }
  const until = formatTime(join.reservedUntilMs)
  return {
    kind: 'refused',
    reason: `another machine is joining under this name; choose another, or wait until ${until}`,
  }
}

function judgeRejoin({ join, lease, proofHash, nowMs }: JoinFacts, node: KubeObject): JoinVerdict {
  const { uid = '', annotations, deletionTimestamp } = node.metadata
  if (deletionTimestamp) return { kind: 'refused', reason: BEING_DELETED }
  const permission = annotations?.[REJOIN_UNTIL]
  const permitted = nowMs < (parseTimeMs(permission ?? '') ?? 0) && join?.rejoinUsed !== permission
  if (permitted) return { kind: 'rejoin', uid, permission }

  const ours = sameMachine(join, proofHash) && (join?.nodeUid ?? uid) === uid
  if (!ours) return { kind: 'refused', reason: existsAlready(node) }
  if (!lease || !isHeld(lease, nowMs)) return { kind: 'rejoin', uid }
  return {
    kind: 'refused',
    reason: 'the lease of this node is still being renewed; try again when it has run out',
  }
}

export const BEING_DELETED = 'the Node of this name is being deleted; join again when it is gone'

function sameMachine(join: JoinRecord | undefined, proofHash: string | undefined): boolean {
  return proofHash !== undefined && join?.proofHash === proofHash
}

const existsAlready = ({ metadata }: KubeObject) =>
  'a Node of this name exists and this machine has not shown that it is the one that joined; ' +
  'an operator can delete the Node, or allow one new join: ' +
  `kubectl annotate node ${metadata.name} ${REJOIN_UNTIL}=<time, as 2026-01-31T12:00:00Z>`
