/**
 * Who is calling? The Authorization header and nothing else is asked: a token in a URL would end up
 * in logs. A token seen before costs one hash and two lookups in memory; a bad one is refused,
 * never an error.
 */
import { hash } from 'node:crypto'
import type { Records } from '../store/ports.ts'
import { bootstrapIdentity, parseBootstrapToken } from './bootstrap-token.ts'
import { readBootstrapToken } from './bootstrap-tokens.ts'
import type { Authenticated, Authenticator, Identity } from './identity.ts'
import type { KeySet, Trouble } from './key-set.ts'
import { lru } from './lru.ts'
import { type RevocationWatch, watchRevocations } from './revocations.ts'
import { groupNames } from './subject.ts'
import { type Issued, type Verified, verifyToken } from './token-verifier.ts'

/** About half a kilobyte each. */
const CACHED_TOKENS = 16_384
/** Ours are under 1 KB. Nothing longer is worth a hash. */
const HEADER_LIMIT = 8_192

const refused: Authenticated = { kind: 'refused' }
const nobody: Authenticated = { kind: 'anonymous' }

export interface AuthenticatorDeps extends Issued {
  readonly keys: KeySet
  readonly records: Records
  /** Told when keys or revocations could not be read and the last known ones are used. */
  readonly onTrouble: Trouble
}

interface Seen {
  readonly answer: Authenticated
  readonly user: string
  readonly kid: string
  readonly issuedAtSeconds: number
  readonly expiresAtMs: number
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const revocations = watchRevocations(deps.records, deps.onTrouble)
  const seen = lru<Seen>(CACHED_TOKENS)

  return {
    async authenticate(authorization, nowMs) {
      const token = bearer(authorization)
      if (typeof token !== 'string') return token
      const parts = parseBootstrapToken(token)
      if (parts) {
        const stored = await readBootstrapToken(deps.records, parts.id)
        return known(bootstrapIdentity(parts, stored?.value, nowMs))
      }

      // Both are undefined, and cost nothing, while what we know is young enough.
      const keysRead = deps.keys.refresh(nowMs)
      const revocationsRead = revocations.refresh(nowMs)
      if (keysRead || revocationsRead) await Promise.all([keysRead, revocationsRead])

      const key = hash('sha256', token, 'base64')
      const before = seen.get(key)
      if (before && nowMs < before.expiresAtMs && deps.keys.has(before.kid)) {
        return accept(before, revocations)
      }
      seen.delete(key)
      const verified = await verifyToken(token, deps, nowMs)
      if (!verified) return refused
      const fresh = remember(verified)
      seen.set(key, fresh)
      return accept(fresh, revocations)
    },
  }
}

function accept(token: Seen, revocations: RevocationWatch): Authenticated {
  return revocations.isRevoked(token.user, token.issuedAtSeconds) ? refused : token.answer
}

/** The token itself; or, when there is none, what that means. */
function bearer(authorization: string | undefined): string | Authenticated {
  if (authorization === undefined || authorization.trim() === '') return nobody
  if (authorization.length > HEADER_LIMIT) return refused
  const [, token] = /^bearer +([\w.~+/=-]+) *$/i.exec(authorization) ?? []
  return token ?? refused
}

function remember({ kid, claims }: Verified): Seen {
  const identity: Identity = {
    user: claims.sub,
    groups: claims.groups,
    nodeUid: claims.node_uid,
    tokenId: claims.jti,
    issuedAtSeconds: claims.iat,
  }
  return {
    answer: known(identity),
    user: claims.sub,
    kid,
    issuedAtSeconds: claims.iat,
    expiresAtMs: claims.exp * 1000,
  }
}

function known(identity: Identity | undefined): Authenticated {
  if (!identity) return refused
  const groups = [...identity.groups, groupNames.authenticated]
  return { kind: 'known', identity: { ...identity, groups } }
}
