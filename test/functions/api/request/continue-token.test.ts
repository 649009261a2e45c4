import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeContinue, encodeContinue } from '../../../../functions/api/request/continue-token.ts'
import { StatusError } from '../../../../shared/kube/status-error.ts'

it('gives back what was put in', () => {
  const text = (minLength: number) => fc.string({ minLength, unit: 'grapheme' })
  const key = fc.record({ namespace: text(0), name: text(1) })
  fc.assert(
    fc.property(key, fc.maxSafeNat(), (after, version) => {
      expect(decodeContinue(encodeContinue({ after, version }))).toEqual({ after, version })
    }),
  )
})

it('refuses whatever it did not write', () => {
  const token = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
  )
  fc.assert(
    fc.property(token, (text) => {
      expect(() => decodeContinue(text)).toThrow(StatusError)
    }),
  )
})
