/**
 * Which claims may a token have? Two keys sign: the api's `node` key and the operators' `admin` key.
 * Each is accepted only for its own kinds of tokens, so a stolen node key can make node tokens but
 * never an administrator's.
 */
import { groupNames, nodeInUser } from '../subject.ts'

export type KeyRole = 'node' | 'admin'
export type TokenKind = 'user' | 'node' | 'joining' | 'canary'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The longest lifetime of each kind. A longer one is refused even when its signature is valid. */
export const lifetimeSeconds: Readonly<Record<TokenKind, number>> = {
  user: 12 * HOUR,
  node: 7 * DAY,
  joining: 10 * MINUTE,
  canary: HOUR,
}

/** How far the clocks of signer and verifier may differ; ours are corrected from 2 s on. */
export const CLOCK_LEEWAY_SECONDS = 5

/**
 * The same in every install: their keys keep installs apart. A Function URL is not known before it is
 * deployed, so it cannot be the audience.
 */
export const defaultIssuerAudience = { issuer: 'leasehold', audience: 'leasehold' } as const

export interface Claims {
  readonly iss: string
  readonly aud: string
  /** The Kubernetes user name. */
  readonly sub: string
  readonly groups: readonly string[]
  readonly iat: number
  readonly nbf: number
  readonly exp: number
  readonly jti: string
  /** Present in node tokens and nowhere else. */
  readonly node_uid?: string
}

type SubjectClaims = Pick<Claims, 'sub' | 'groups' | 'node_uid'>

/** Which kind of token is this? Undefined when the key's role may not sign such claims. */
export function kindOf(role: KeyRole, claims: SubjectClaims): TokenKind | undefined {
  return role === 'node' ? kindByNodeKey(claims) : kindByAdminKey(claims)
}

function kindByNodeKey({ sub, groups, node_uid }: SubjectClaims): TokenKind | undefined {
  // Exactly one group, so that no second one can be added to it.
  if (groups.length !== 1) return undefined
  if (groups[0] === groupNames.canary) return sub === groupNames.canary ? 'canary' : undefined
  if (!nodeInUser(sub)) return undefined
  if (groups[0] === groupNames.nodes) return node_uid ? 'node' : undefined
  if (groups[0] === groupNames.joining) return node_uid === undefined ? 'joining' : undefined
  return undefined
}

const reservedGroups: readonly string[] = [groupNames.joining, groupNames.canary]

function kindByAdminKey({ sub, groups, node_uid }: SubjectClaims): TokenKind | undefined {
  const reserved = (group: string) =>
    (group.startsWith('system:') && group !== groupNames.masters) || reservedGroups.includes(group)
  // `system:` users are nodes, bootstrappers and the anonymous user: never signed by this key.
  if (sub === '' || sub.startsWith('system:') || node_uid !== undefined) return undefined
  return groups.some(reserved) ? undefined : 'user'
}

/**
 * Reads a verified payload; undefined when a claim is missing or malformed, it lives too long, or it
 * was issued in the future: such a token would survive every revocation until then.
 */
export function readClaims(
  role: KeyRole,
  payload: Readonly<Record<string, unknown>>,
  nowMs: number,
) {
  if (!hasShape(payload)) return undefined
  if (payload.iat > nowMs / 1000 + CLOCK_LEEWAY_SECONDS) return undefined
  const kind = kindOf(role, payload)
  if (!kind || payload.exp - payload.iat > lifetimeSeconds[kind]) return undefined
  return { kind, claims: payload }
}

function hasShape(payload: object): payload is Claims {
  const { sub, groups, iat, nbf, exp, jti, node_uid } = payload as Record<string, unknown>
  const texts = [sub, jti].every((value) => typeof value === 'string' && value !== '')
  const times = [iat, nbf, exp].every(Number.isFinite)
  const list = Array.isArray(groups) && groups.every((group) => typeof group === 'string')
  return texts && times && list && (node_uid === undefined || typeof node_uid === 'string')
}
