/** A signer whose key never leaves KMS (`ECC_NIST_P256`, sign and verify). */
import { createPublicKey } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { AwsEndpoint } from '../../store/aws/endpoint.ts'
import { type SignedCall, signedCall } from '../../store/aws/signed-call.ts'
import { defaultBudgetMs, type RetryPolicy, retry } from '../../store/dynamo/retry.ts'
import { lazily } from '../../store/lazily.ts'
import type { KeyRole } from './claims.ts'
import type { PublicJwks } from './key-set.ts'
import type { Signer } from './signer.ts'

type RetryTiming = Pick<RetryPolicy, 'clock' | 'sleep' | 'random'>

/** For Sign and GetPublicKey, without the SDK. Both can be repeated safely. */
export function kmsCall(endpoint: AwsEndpoint, timing: RetryTiming): SignedCall {
  const once = signedCall(endpoint, { clock: timing.clock })
  const retryPolicy = { ...timing, budgetMs: defaultBudgetMs, service: 'KMS' }
  return (operation, input) => retry(retryPolicy, () => once(operation, input))
}

export interface KmsKey {
  readonly role: KeyRole
  /** Id, ARN or alias. */
  readonly keyId: string
}

/** From a function's environment: the key that signs, then those that are still accepted. */
export const parseKmsKeys = (role: KeyRole, ids: string): readonly [KmsKey, ...KmsKey[]] =>
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
 * The public keys, for `keySet`. Needs only kms:GetPublicKey. Each is read once: it never changes, KMS
 * charges as for a signature, and the list of keys changes only with a deployment.
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
  const wrong = (kind: string) =>
    new Error(`KMS key ${keyId} is ${kind}; make one of spec ECC_NIST_P256`)
  // Emulators leave the spec out; the key itself tells.
  if (!PublicKey || (KeySpec ?? 'ECC_NIST_P256') !== 'ECC_NIST_P256')
    throw wrong(KeySpec ?? 'unknown')
  const der = Buffer.from(PublicKey, 'base64')
  const { kty, crv, x, y } = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({
    format: 'jwk',
  })
  if (crv !== 'P-256') throw wrong(`${kty} ${crv ?? ''}`.trim())
  return { kty, crv, x, y } as JWK
}

// KMS answers an ECDSA signature as DER (SEQUENCE of two INTEGERs); a JWT has r and s, 32 bytes each.
const SEQUENCE = 0x30
const INTEGER = 0x02
const PART_BYTES = 32

function joseSignature(der: Uint8Array): Uint8Array {
  // A P-256 signature is at most 72 bytes, so every length fits one byte.
  if (der[0] !== SEQUENCE || der[1] !== der.length - 2) throw notDer()
  const r = integerAt(der, 2)
  const s = integerAt(der, r.end)
  if (s.end !== der.length) throw notDer()
  const jose = new Uint8Array(2 * PART_BYTES)
  jose.set(r.bytes, PART_BYTES - r.bytes.length)
  jose.set(s.bytes, 2 * PART_BYTES - s.bytes.length)
  return jose
}

function integerAt(der: Uint8Array, start: number) {
  const length = der[start + 1] ?? 0
  const end = start + 2 + length
  if (der[start] !== INTEGER || length === 0 || end > der.length) throw notDer()
  // A leading zero only marks the number as positive.
  const bytes = der.subarray(der[start + 2] === 0 ? start + 3 : start + 2, end)
  if (bytes.length > PART_BYTES) throw notDer()
  return { bytes, end }
}

const notDer = () => new Error('the signature is not a DER signature of a P-256 key')
