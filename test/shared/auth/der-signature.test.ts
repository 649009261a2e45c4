import { generateKeyPairSync, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joseSignature } from '../../../shared/auth/der-signature.ts'

describe('a DER signature', () => {
  it('says the same in JOSE form', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const jose = joseSignature(sign('sha256', bytes, privateKey))
        return verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jose)
      }),
      { numRuns: 300 },
    )
  })

  it('pads short numbers on the left', () => {
    const jose = joseSignature(Uint8Array.of(0x30, 6, 2, 1, 7, 2, 1, 9))
    expect([jose.length, jose[31], jose[63]]).toEqual([64, 7, 9])
  })

  it('is refused when it is something else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(() => joseSignature(bytes)).toThrow('not a DER signature')
      }),
    )
  })
})
