import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keySet } from '../../../../shared/auth/tokens/key-set.ts'
import {
  kmsCall,
  kmsPublicKeys,
  kmsSigner,
  parseKmsKeys,
} from '../../../../shared/auth/tokens/kms-signer.ts'
import { signToken } from '../../../../shared/auth/tokens/signer.ts'
import { verifyToken } from '../../../../shared/auth/tokens/verifier.ts'
import type { SignedCall } from '../../../../shared/store/aws/signed-call.ts'
import { type FakeKms, startKms } from '../../../fake-kms.ts'

let server: FakeKms
let kms: SignedCall

beforeAll(async () => {
  server = await startKms()
  const credentials = () => ({ accessKeyId: 'test', secretAccessKey: 'test' })
  const endpoint = { service: 'kms', region: 'eu-west-1', url: server.url, credentials } as const
  const timing = { clock: () => 0, random: () => 0, sleep: async () => {} }
  kms = kmsCall(endpoint, timing)
})
afterAll(() => server.close())

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
      kmsPublicKeys(async () => kms, [key]),
      () => {},
    )
    const verified = await verifyToken(token, { ...issued, keys: believed }, nowMs)
    expect(verified).toMatchObject({ kid: signer.kid, claims: { sub: 'system:node:a' } })
  })

  it('is asked for its public half once, however often others ask', async () => {
    const asked: string[] = []
    const counting: SignedCall = (operation, input) => {
      asked.push(operation)
      return kms(operation, input)
    }
    const keys = parseKmsKeys('node', 'alias/leasehold-node,alias/leasehold-node-before')
    const publicKeys = kmsPublicKeys(async () => counting, keys)
    const first = await publicKeys()
    expect(await publicKeys()).toBe(first)
    expect(first.keys.map(({ role }) => role)).toEqual(['node', 'node'])
    expect(asked).toEqual(['GetPublicKey', 'GetPublicKey'])
  })

  it('signs when it is named first', () => {
    expect(parseKmsKeys('node', 'new,old')).toEqual([
      { role: 'node', keyId: 'new' },
      { role: 'node', keyId: 'old' },
    ])
  })

  it('of another kind is refused with what to do', async () => {
    const wrong = kmsSigner(kms, { role: 'admin', keyId: 'rsa' })
    await expect(wrong).rejects.toThrow('KMS key rsa is RSA_2048; make one of spec ECC_NIST_P256')
  })

  it('is known by itself where an emulator does not name its spec', async () => {
    const without: SignedCall = async (operation, input) => {
      const { KeySpec: _omitted, ...answer } = (await kms(operation, input)) as { KeySpec?: string }
      return answer
    }
    const signer = await kmsSigner(without, { role: 'node', keyId: 'alias/leasehold-node' })
    expect(signer.publicJwk.crv).toBe('P-256')
  })

  it('is asked again when KMS stumbles, and not for ever', async () => {
    const key = { role: 'node', keyId: 'alias/leasehold-node' } as const
    server.fail(2)
    expect((await kmsSigner(kms, key)).role).toBe('node')
    server.fail(100)
    await expect(kmsSigner(kms, key)).rejects.toThrow('KMS does not answer, please try again')
    server.fail(0)
  })
})
