/** Verifies a token's signature and claims. Slow: the authenticator caches the results. */
import { errors, type JWTHeaderParameters, jwtVerify } from 'jose'
import { CLOCK_LEEWAY_SECONDS, type Claims, readClaims } from './claims.ts'
import type { KeySet, PublicKey } from './key-set.ts'

export interface IssuerAudience {
  readonly issuer: string
  readonly audience: string
}

export interface Verified {
  readonly kid: string
  readonly claims: Claims
}

export async function verifyToken(
  token: string,
  { issuer, audience, keys }: IssuerAudience & { readonly keys: KeySet },
  nowMs: number,
): Promise<Verified | undefined> {
  let signedBy: PublicKey | undefined
  const findKey = async ({ kid }: JWTHeaderParameters) => {
    signedBy = kid === undefined ? undefined : await keys.find(kid, nowMs)
    if (!signedBy) throw new errors.JWKSNoMatchingKey()
    return signedBy.key
  }

  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      audience,
      algorithms: ['ES256'],
      clockTolerance: CLOCK_LEEWAY_SECONDS,
      currentDate: new Date(nowMs),
      requiredClaims: ['sub', 'iat', 'nbf', 'exp', 'jti'],
    })
    const read = signedBy && readClaims(signedBy.role, payload, nowMs)
    return read && signedBy && { kid: signedBy.kid, claims: read.claims }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
