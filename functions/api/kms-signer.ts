/** A signer whose key never leaves KMS (`ECC_NIST_P256`, sign and verify). */
import { createPublicKey } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { KeyRole } from '../../shared/auth/claims.ts'
import { joseSignature } from '../../shared/auth/der-signature.ts'
import type { PublicJwks } from '../../shared/auth/key-set.ts'
import type { Signer } from '../../shared/auth/signer.ts'
import { type SignedCall, signedCall } from '../../shared/store/aws/signed-call.ts'
import type { Site } from '../../shared/store/aws/site.ts'
import { attemptMs, type Patience, persist } from '../../shared/store/dynamo/persistence.ts'

/** Two calls do not need a client of their own. Both may be made twice without harm. */
export function kmsCall(site: Site, patience: Omit<Patience, 'whom'>): SignedCall {
  const once = signedCall(site, { clock: patience.clock, limitMs: attemptMs })
  return (operation, input) => persist(() => once(operation, input), { ...patience, whom: 'KMS' })
}

export interface KmsKey {
  readonly role: KeyRole
  /** Id, ARN or alias. */
  readonly keyId: string
}

export async function kmsSigner(kms: SignedCall, { role, keyId }: KmsKey): Promise<Signer> {
  const publicJwk = await kmsPublicJwk(kms, keyId)
  return {
    role,
    publicJwk,
    kid: await calculateJwkThumbprint(publicJwk),
    async sign(bytes) {
      const { Signature } = (await kms('Sign', {
        KeyId: keyId,
        Message: Buffer.from(bytes).toString('base64'),
        MessageType: 'RAW',
        SigningAlgorithm: 'ECDSA_SHA_256',
      })) as { readonly Signature?: string }
      if (!Signature) throw new Error(`KMS gave no signature for key ${keyId}`)
      return joseSignature(Buffer.from(Signature, 'base64'))
    },
  }
}

/** The public halves of several keys, for `keySet`. Needs kms:GetPublicKey and nothing more. */
export async function kmsPublicJwks(kms: SignedCall, keys: readonly KmsKey[]): Promise<PublicJwks> {
  const read = keys.map(async ({ role, keyId }) => ({
    ...(await kmsPublicJwk(kms, keyId)),
    role,
  }))
  return { keys: await Promise.all(read) }
}

interface PublicHalf {
  readonly PublicKey?: string
  readonly KeySpec?: string
}

async function kmsPublicJwk(kms: SignedCall, keyId: string): Promise<JWK> {
  const { PublicKey, KeySpec } = (await kms('GetPublicKey', { KeyId: keyId })) as PublicHalf
  if (!PublicKey || KeySpec !== 'ECC_NIST_P256') {
    throw new Error(`KMS key ${keyId} is ${KeySpec ?? 'unknown'}; make one of spec ECC_NIST_P256`)
  }
  const der = Buffer.from(PublicKey, 'base64')
  const { kty, crv, x, y } = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({
    format: 'jwk',
  })
  return { kty, crv, x, y } as JWK
}
