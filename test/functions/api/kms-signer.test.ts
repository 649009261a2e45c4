import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kmsCall, kmsPublicJwks, kmsSigner } from '../../../functions/api/kms-signer.ts'
import { keySet } from '../../../shared/auth/key-set.ts'
import { signToken } from '../../../shared/auth/signer.ts'
import { verifyToken } from '../../../shared/auth/token-verifier.ts'
import type { SignedCall } from '../../../shared/store/aws/signed-call.ts'

/** KMS as far as it is used, on loopback, so that real requests are what is tested. */
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const answers: Readonly<Record<string, (body: Record<string, string>) => object>> = {
  'TrentService.GetPublicKey': ({ KeyId }) => ({
    KeySpec: KeyId === 'rsa' ? 'RSA_2048' : 'ECC_NIST_P256',
    PublicKey: keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }),
  'TrentService.Sign': ({ Message = '' }) => ({
    Signature: sign('sha256', Buffer.from(Message, 'base64'), keys.privateKey).toString('base64'),
  }),
}
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  if (failures > 0) {
    failures -= 1
    response.statusCode = 500
    return response.end('{"__type":"KMSInternalException"}')
  }
  const answer = answers[String(request.headers['x-amz-target'])]
  response.setHeader('content-type', 'application/x-amz-json-1.1')
  response.end(JSON.stringify(answer?.(JSON.parse(body)) ?? {}))
})
let kms: SignedCall
let failures = 0

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const credentials = () => ({ accessKeyId: 'test', secretAccessKey: 'test' })
  const url = new URL(`http://127.0.0.1:${port}`)
  const site = { service: 'kms', region: 'eu-west-1', url, credentials } as const
  const patience = { clock: () => 0, random: () => 0, sleep: async () => {}, budgetMs: 10_000 }
  kms = kmsCall(site, patience)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('a key in KMS', () => {
  it('signs tokens that its public half verifies', async () => {
    const key = { role: 'node', keyId: 'alias/leasehold-node' } as const
    const signer = await kmsSigner(kms, key)
    const nowMs = Date.UTC(2026, 0, 1)
    const issued = { issuer: 'leasehold', audience: 'x' }
    const { token } = await signToken(signer, {
      ...issued,
      user: 'system:node:a',
      groups: ['system:nodes'],
      nodeUid: 'u',
      lifetimeSeconds: 600,
      tokenId: 't',
      nowMs,
    })
    const believed = keySet(
      () => kmsPublicJwks(kms, [key]),
      () => {},
    )
    const verified = await verifyToken(token, { ...issued, keys: believed }, nowMs)
    expect(verified).toMatchObject({ kid: signer.kid, claims: { sub: 'system:node:a' } })
  })

  it('of another kind is refused with what to do', async () => {
    const wrong = kmsSigner(kms, { role: 'admin', keyId: 'rsa' })
    await expect(wrong).rejects.toThrow('KMS key rsa is RSA_2048; make one of spec ECC_NIST_P256')
  })

  it('is asked again when KMS stumbles, and not for ever', async () => {
    const key = { role: 'node', keyId: 'alias/leasehold-node' } as const
    failures = 2
    expect((await kmsSigner(kms, key)).role).toBe('node')
    failures = 100
    await expect(kmsSigner(kms, key)).rejects.toThrow('KMS does not answer, please try again')
    failures = 0
  })
})
