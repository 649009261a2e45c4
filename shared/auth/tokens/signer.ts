/** Signs tokens without exposing the key: a key of a file here, a KMS key in kms-signer.ts. */
import { type KeyObject, sign } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { type Claims, type KeyRole, kindOf, lifetimeSeconds, type TokenKind } from './claims.ts'

export interface Signer {
  readonly role: KeyRole
  /** The key's RFC 7638 thumbprint, so that no other key can have this kid. */
  readonly kid: string
  readonly publicJwk: JWK
  /** An ES256 signature in JOSE form: r and s, 32 bytes each. */
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

export async function keyObjectSigner(role: KeyRole, key: KeyObject, publicJwk: JWK) {
  const kid = await calculateJwkThumbprint(publicJwk)
  const signer: Signer = {
    role,
    kid,
    publicJwk,
    sign: async (bytes) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
  }
  return signer
}

export interface TokenSpec {
  readonly issuer: string
  readonly audience: string
  readonly user: string
  readonly groups: readonly string[]
  readonly nodeUid?: string
  /** Limited to the longest lifetime of its kind. */
  readonly lifetimeSeconds: number
  readonly tokenId: string
  readonly nowMs: number
}

export interface SignedToken {
  readonly token: string
  readonly tokenId: string
  readonly kind: TokenKind
  /** Of the key that signed it. */
  readonly keyId: string
  readonly issuedAtSeconds: number
  readonly expiresAtMs: number
}

export async function signToken(signer: Signer, request: TokenSpec): Promise<SignedToken> {
  const { user: sub, groups, nodeUid: node_uid } = request
  const kind = kindOf(signer.role, { sub, groups, node_uid })
  if (!kind) {
    throw new Error(`the ${signer.role} key may not sign for user ${sub} in [${groups.join(', ')}]`)
  }
  const iat = Math.floor(request.nowMs / 1000)
  const exp = iat + Math.min(request.lifetimeSeconds, lifetimeSeconds[kind])
  const { issuer: iss, audience: aud, tokenId: jti } = request
  const claims: Claims = { iss, aud, sub, groups, iat, nbf: iat, exp, jti, node_uid }

  const header = { alg: 'ES256', typ: 'JWT', kid: signer.kid }
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`
  const signature = await signer.sign(Buffer.from(signed))
  const token = `${signed}.${Buffer.from(signature).toString('base64url')}`
  const keyId = signer.kid
  return { token, tokenId: jti, kind, keyId, issuedAtSeconds: iat, expiresAtMs: exp * 1000 }
}

const encode = (text: string) => Buffer.from(text).toString('base64url')
