/**
 * Who is calling? Only the Authorization header is read: a token in a URL would end up in logs. A
 * cached token costs one hash and two lookups in memory. A bad token is refused, never an error.
 */
import { hash } from 'node:crypto'
import type { Records } from '../store/ports.ts'
import { lru } from './caches.ts'
import type { Authenticated, Authenticator, Identity } from './identity.ts'
import { bootstrapIdentity, parseBootstrapToken } from './join/bootstrap-token.ts'
import { readBootstrapToken } from './join/bootstrap-tokens.ts'
import { programIdentity, programInToken } from './programs/grant.ts'
import { readGrant } from './programs/grants.ts'
import { groupNames } from './subject.ts'
import type { KeySet, Trouble } from './tokens/key-set.ts'
import { type RevocationWatch, watchRevocations } from './tokens/revocations.ts'
import { type IssuerAudience, type Verified, verifyToken } from './tokens/verifier.ts'

/** About half a kilobyte each. */
const CACHED_TOKENS = 16_384
/** Our tokens are under 1 KB. Longer headers are refused before they are hashed. */
const HEADER_LIMIT = 8_192

const refused: Authenticated = { kind: 'refused' }
const anonymousCaller: Authenticated = { kind: 'anonymous' }

interface AuthenticatorDeps extends IssuerAudience {
  readonly keys: KeySet
  readonly records: Records
  /** Called when keys or revocations could not be read and the last known ones are used. */
  readonly onTrouble: Trouble
}

interface CachedToken {
  readonly answer: Authenticated
  readonly user: string
  readonly kid: string
  readonly issuedAtSeconds: number
  readonly expiresAtMs: number
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const revocations = watchRevocations(deps.records, deps.onTrouble)
  const cache = lru<CachedToken>(CACHED_TOKENS)

  return {
    async authenticate(authorization, nowMs) {
      const token = bearer(authorization)
      if (typeof token !== 'string') return token
      const key = hash('sha256', token, 'base64')
      const cached = cache.get(key)
      const program = cached ? undefined : programInToken(token)
      if (program !== undefined) {
        // Read each time, so that a revoked grant ends at once; no host comes this way.
        const grant = await readGrant(deps.records, program)
        return known(programIdentity(token, grant?.value, nowMs))
      }
      const parts = cached ? undefined : parseBootstrapToken(token)
      if (parts) {
        const stored = await readBootstrapToken(deps.records, parts.id)
        return known(bootstrapIdentity(parts, stored?.value, nowMs))
      }

      // Undefined while the cached keys and revocations are young enough.
      const keysRead = deps.keys.refresh(nowMs)
      const revocationsRead = revocations.refresh(nowMs)
      if (keysRead || revocationsRead) await Promise.all([keysRead, revocationsRead])

      if (cached && nowMs < cached.expiresAtMs && deps.keys.has(cached.kid)) {
        return accept(cached, revocations)
      }
      cache.delete(key)
      const verified = await verifyToken(token, deps, nowMs)
      if (!verified) return refused
      const fresh = cachedToken(verified)
      cache.set(key, fresh)
      return accept(fresh, revocations)
    },
  }
}

function accept(token: CachedToken, revocations: RevocationWatch): Authenticated {
  return revocations.isRevoked(token.user, token.issuedAtSeconds) ? refused : token.answer
}

/** The token; without one, the answer to the caller. */
function bearer(authorization: string | undefined): string | Authenticated {
  if (authorization === undefined || authorization.trim() === '') return anonymousCaller
  if (authorization.length > HEADER_LIMIT) return refused
  const [, token] = /^bearer +([\w.~+/=-]+) *$/i.exec(authorization) ?? []
  return token ?? refused
}

function cachedToken({ kid, claims }: Verified): CachedToken {
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
