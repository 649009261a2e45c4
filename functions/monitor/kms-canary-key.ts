/** The key that signs the canary's tokens: the node key in KMS, which may say nothing else of users. */
import { createPublicKey } from 'node:crypto'
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { joseSignature } from '../../shared/auth/der-signature.ts'
import type { Signer } from '../../shared/auth/signer.ts'

export async function kmsCanaryKey(
  keyId: string,
  client: Pick<KMSClient, 'send'> = new KMSClient(),
): Promise<Signer> {
  const { PublicKey } = await client.send(new GetPublicKeyCommand({ KeyId: keyId }))
  if (!PublicKey) throw new Error(`KMS gave no public key for ${keyId}`)
  const der = { key: Buffer.from(PublicKey), format: 'der', type: 'spki' } as const
  const { kty, crv, x, y } = createPublicKey(der).export({ format: 'jwk' })
  const publicJwk = { kty, crv, x, y } as JWK
  return {
    role: 'node',
    publicJwk,
    kid: await calculateJwkThumbprint(publicJwk),
    async sign(bytes) {
      const { Signature } = await client.send(
        new SignCommand({
          KeyId: keyId,
          Message: bytes,
          MessageType: 'RAW',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      )
      if (!Signature) throw new Error(`KMS gave no signature for ${keyId}`)
      return joseSignature(Signature)
    },
  }
}
