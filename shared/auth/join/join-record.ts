/** Which machine joined under a node name: one record per name, which expires without renewals. */
import type { Store, WriteStep } from '../../store/ports.ts'
import type { SignedToken } from '../tokens/signer.ts'
import type { JoinRecord } from './join.ts'

/** How long after its last token renewal a machine can still rejoin with its proof. */
const JOIN_KEPT_MS = 30 * 24 * 60 * 60_000

export const JOINS = 'join/'

const nameOf = (nodeName: string) => `${JOINS}${nodeName}`

export const readJoin = ({ records }: Store, nodeName: string) =>
  records.get<JoinRecord>(nameOf(nodeName))

/** Notes a node token, so that a later join knows whether there is one to revoke. */
export const withToken = (join: JoinRecord, { keyId, expiresAtMs }: SignedToken): JoinRecord => ({
  ...join,
  tokenKey: keyId,
  tokensUntilMs: Math.max(join.tokensUntilMs ?? 0, expiresAtMs),
})

interface JoinWrite {
  readonly nodeName: string
  readonly join: JoinRecord
  /** The version read; absent when there was none. */
  readonly believed?: number
  readonly nowMs: number
}

export function putJoin({ nodeName, join, believed, nowMs }: JoinWrite): WriteStep {
  const expiresAtMs = nowMs + JOIN_KEPT_MS
  return { do: 'putRecord', name: nameOf(nodeName), value: join, believed, expiresAtMs }
}
