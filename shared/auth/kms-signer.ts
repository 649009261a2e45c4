/** A signer whose key never leaves KMS (`ECC_NIST_P256`, sign and verify). */
import { createPublicKey } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { type SignedCall, signedCall } from '../store/aws/signed-call.ts'
import type { Site } from '../store/aws/site.ts'
import { attemptMs, defaultBudgetMs, type Patience, persist } from '../store/dynamo/persistence.ts'
import { lazily } from '../store/lazily.ts'
import type { KeyRole } from './claims.ts'
import { joseSignature } from './der-signature.ts'
import type { PublicJwks } from './key-set.ts'
import type { Signer } from './signer.ts'

type Waiting = Pick<Patience, 'clock' | 'sleep' | 'random'>

/** Two calls do not need a client of their own. Both may be made twice without harm. */
export function kmsCall(site: Site, waiting: Waiting): SignedCall {
  const once = signedCall(site, { clock: waiting.clock, limitMs: attemptMs })
  const patience = { ...waiting, budgetMs: defaultBudgetMs, whom: 'KMS' }
  return (operation, input) => persist(() => once(operation, input), patience)
}

export interface KmsKey {
  readonly role: KeyRole
  /** Id, ARN or alias. */
  readonly keyId: string
}

/** As a function's environment names them: the one that signs, then those that are still believed. */
export const kmsKeysIn = (role: KeyRole, ids: string): readonly [KmsKey, ...KmsKey[]] =>
  ids.split(',').map((keyId) => ({ role, keyId })) as [KmsKey, ...KmsKey[]]

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

/**
 * The public halves of several keys, for `keySet`. Needs kms:GetPublicKey and nothing more. Each is
 * asked for once: it never changes, KMS charges as for a signature, and which keys count is a
 * matter of the deployment.
 */
export const kmsPublicKeys = (kms: () => Promise<SignedCall>, keys: readonly KmsKey[]) =>
  lazily(async () => await kmsPublicJwks(await kms(), keys))

async function kmsPublicJwks(kms: SignedCall, keys: readonly KmsKey[]): Promise<PublicJwks> {
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
