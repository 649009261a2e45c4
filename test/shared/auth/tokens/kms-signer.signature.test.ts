import { generateKeyPairSync, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kmsSigner } from '../../../../shared/auth/tokens/kms-signer.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PublicKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

/** The signer's signature when KMS answers with these bytes. */
async function signatureOf(der: Uint8Array): Promise<Uint8Array> {
  const Signature = Buffer.from(der).toString('base64')
  const kms = async () => ({ PublicKey, KeySpec: 'ECC_NIST_P256', Signature })
  const signer = await kmsSigner(kms, { role: 'node', keyId: 'test' })
  return signer.sign(new Uint8Array())
}

describe('a DER signature', () => {
  it('says the same in JOSE form', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const jose = await signatureOf(sign('sha256', bytes, privateKey))
        return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jose)
      }),
      { numRuns: 300 },
    )
  })

  it('pads short numbers on the left', async () => {
    const jose = await signatureOf(Uint8Array.of(0x30, 6, 2, 1, 7, 2, 1, 9))
    expect([jose.length, jose[31], jose[63]]).toEqual([64, 7, 9])
  })

  it('is refused when it is something else', async () => {
    await expect(signatureOf(new Uint8Array())).rejects.toThrow('KMS gave no signature')
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 80 }), async (bytes) => {
        await expect(signatureOf(bytes)).rejects.toThrow('not a DER signature')
      }),
    )
  })
})
