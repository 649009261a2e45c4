/** A signer whose key never leaves KMS (`ECC_NIST_P256`, sign and verify). */
import { createPublicKey } from 'node:crypto'
import { GetPublicKeyCommand, type KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { KeyRole } from '../../shared/auth/claims.ts'
import { joseSignature } from '../../shared/auth/der-signature.ts'
import type { PublicJwks } from '../../shared/auth/key-set.ts'
import type { Signer } from '../../shared/auth/signer.ts'

/** The part of the client that is used, so that its owner decides region, retries and timeouts. */
type Client = Pick<KMSClient, 'send'>

export interface KmsKey {
  readonly role: KeyRole
  /** Id, ARN or alias. */
  readonly keyId: string
}

export async function kmsSigner(client: Client, { role, keyId }: KmsKey): Promise<Signer> {
  const publicJwk = await kmsPublicJwk(client, keyId)
  return {
    role,
    publicJwk,
    kid: await calculateJwkThumbprint(publicJwk),
    async sign(bytes) {
      const answer = await client.send(
        new SignCommand({
          KeyId: keyId,
          Message: bytes,
          MessageType: 'RAW',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      )
      if (!answer.Signature) throw new Error(`KMS gave no signature for key ${keyId}`)
      return joseSignature(answer.Signature)
    },
  }
}

/** The public halves of several keys, for `keySet`. Needs kms:GetPublicKey and nothing more. */
export async function kmsPublicJwks(client: Client, keys: readonly KmsKey[]): Promise<PublicJwks> {
  const read = keys.map(async ({ role, keyId }) => ({
    ...(await kmsPublicJwk(client, keyId)),
    role,
  }))
  return { keys: await Promise.all(read) }
}

async function kmsPublicJwk(client: Client, keyId: string): Promise<JWK> {
  const { PublicKey, KeySpec } = await client.send(new GetPublicKeyCommand({ KeyId: keyId }))
  if (!PublicKey || KeySpec !== 'ECC_NIST_P256') {
    throw new Error(`KMS key ${keyId} is ${KeySpec ?? 'unknown'}; make one of spec ECC_NIST_P256`)
  }
  const der = Buffer.from(PublicKey)
  const { kty, crv, x, y } = createPublicKey({ key: der, format: 'der', type: 'spki' }).export({
    format: 'jwk',
  })
  return { kty, crv, x, y } as JWK
}
