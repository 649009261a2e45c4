/**
 * May this machine join under this node name? The pure heart of bootstrap. What it protects: at any
 * time at most one machine holds a living joining token for a name, and nobody gets a token for
 * somebody else's Node.
 */
import { createHash } from 'node:crypto'
import type { KubeObject } from '../kube/objects.ts'
import { formatTime, parseTimeMs } from '../kube/time.ts'
import type { StoredLease } from '../store/ports.ts'

/**
 * Set by an operator to a time: until then one machine may join as this Node, whatever its lease
 * says.
 */
export const REJOIN_UNTIL = 'leasehold.dev/rejoin-until'
/** As the holder rule: a lease has run out a second after its end. */
const LEASE_ALLOWANCE_MS = 1_000

/** Who joined under a name, as remembered. */
export interface Join {
  /** Of the newest joining token: only that one is exchanged. */
  readonly tokenId: string
  readonly bootstrapId: string
  /** Of a secret the machine can repeat after losing its files; absent when it sent none. */
  readonly proofHash?: string
  /** Nobody else may join under the name before. */
  readonly reservedUntilMs: number
  /** Once the joining token has been exchanged. */
  readonly nodeUid?: string
  /** The operator's permission that was used, so that it works once. */
  readonly rejoinUsed?: string
}

export interface JoinFacts {
  readonly join?: Join
  readonly node?: KubeObject
  readonly lease?: Pick<StoredLease, 'receivedAtMs' | 'expiresAtMs'>
  readonly proofHash?: string
  readonly nowMs: number
}

export type JoinVerdict =
  /** There is no such Node. `again`: the same machine repeats itself, which uses nothing up. */
  | { readonly kind: 'join'; readonly again: boolean }
  /** There is one, and this machine may speak for it. */
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
  const { uid = '', annotations } = node.metadata
  const permission = annotations?.[REJOIN_UNTIL]
  const permitted = nowMs < (parseTimeMs(permission ?? '') ?? 0) && join?.rejoinUsed !== permission
  if (permitted) return { kind: 'rejoin', uid, permission }

  const ours = sameMachine(join, proofHash) && (join?.nodeUid ?? uid) === uid
  if (!ours) return { kind: 'refused', reason: existsAlready(node) }
  if (!isHeld(lease, nowMs)) return { kind: 'rejoin', uid }
  return {
    kind: 'refused',
    reason: 'the lease of this node is still being renewed; try again when it has run out',
  }
}

function sameMachine(join: Join | undefined, proofHash: string | undefined): boolean {
  return proofHash !== undefined && join?.proofHash === proofHash
}

/** A lease nobody ever renewed is held by nobody; one without a duration never runs out. */
function isHeld(lease: JoinFacts['lease'], nowMs: number): boolean {
  if (lease?.receivedAtMs === undefined) return false
  return lease.expiresAtMs === undefined || nowMs <= lease.expiresAtMs + LEASE_ALLOWANCE_MS
}

const existsAlready = ({ metadata }: KubeObject) =>
  'a Node of this name exists and this machine has not shown that it is the one that joined; ' +
  'an operator can delete the Node, or allow one new join: ' +
  `kubectl annotate node ${metadata.name} ${REJOIN_UNTIL}=<time, as 2026-01-31T12:00:00Z>`
