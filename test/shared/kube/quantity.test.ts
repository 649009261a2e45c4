import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canonicalQuantity,
  compareQuantities,
  isNegative,
  isWhole,
  parseQuantity,
} from '../../../shared/kube/quantity.ts'

const quantity = (text: string) => parseQuantity(text)!

describe('canonicalQuantity', () => {
  it.each([
    { text: '0', out: '0' },
    { text: '-0', out: '0' },
    { text: '0Gi', out: '0' },
    { text: '1', out: '1' },
    { text: '+1', out: '1' },
    { text: '1000', out: '1k' },
    { text: '1000m', out: '1' },
    { text: '1500m', out: '1500m' },
    { text: '1.5', out: '1500m' },
    { text: '.5', out: '500m' },
    { text: '5.', out: '5' },
    { text: '0.1', out: '100m' },
    { text: '123456789', out: '123456789' },
    { text: '16393244Ki', out: '16393244Ki' },
    { text: '8388608Ki', out: '8Gi' },
    { text: '1.5Gi', out: '1536Mi' },
    { text: '1023Ki', out: '1023Ki' },
    { text: '0.5Ki', out: '512' },
    { text: '-2Ki', out: '-2Ki' },
    { text: '1e3', out: '1e3' },
    { text: '12E6', out: '12e6' },
    { text: '100e-3', out: '100e-3' },
    { text: '1E', out: '1E' },
    { text: '1Ei', out: '1Ei' },
    { text: '1n', out: '1n' },
    { text: '0.1n', out: '1n' },
    { text: '-0.1n', out: '-1n' },
    { text: '1e-999999999', out: '1e-9' },
    { text: '1e999999999', out: '9223372036854775807e0' },
    { text: '9999E', out: '9223372036854775807' },
  ])('writes $text as $out', ({ text, out }) => {
    expect(canonicalQuantity(text)).toBe(out.replace('e0', ''))
  })

  it.each([
    '',
    '.',
    '+',
    '-',
    'Gi',
    '1GiB',
    '1 Gi',
    ' 1',
    '1\n',
    '1e',
    '1ki',
    '1K',
    '1.2.3',
    '0x10',
  ])('refuses %j', (text) => {
    expect(canonicalQuantity(text)).toBeUndefined()
  })

  it('refuses numbers longer than 64 characters', () => {
    expect(canonicalQuantity('1'.repeat(65))).toBeUndefined()
  })

  it('keeps the amount and settles at once', () => {
    const suffix = fc.constantFrom(
      'n',
      'u',
      'm',
      '',
      'k',
      'M',
      'G',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'e2',
      'e-4',
    )
    fc.assert(
      fc.property(fc.integer(), fc.nat(999_999), suffix, (whole, fraction, unit) => {
        const text = `${whole}.${fraction}${unit}`
        const canonical = canonicalQuantity(text)!
        expect(compareQuantities(quantity(canonical), quantity(text))).toBe(0)
        expect(canonicalQuantity(canonical)).toBe(canonical)
        expect(canonical).not.toContain('.')
      }),
    )
  })

  it('never throws', () => {
    const piece = fc.constantFrom('1', '0', '.', '-', '+', 'e', 'E', 'K', 'i', 'm', '9')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(['string', 'undefined']).toContain(typeof canonicalQuantity(pieces.join('')))
      }),
    )
  })
})

describe('the questions validation asks', () => {
  it.each([
    { a: '1', b: '1000m', order: 0 },
    { a: '1Ki', b: '1k', order: 1 },
    { a: '-1', b: '0', order: -1 },
    { a: '9007199254740993', b: '9007199254740992', order: 1 },
  ])('compares $a and $b by value: $order', ({ a, b, order }) => {
    expect(compareQuantities(quantity(a), quantity(b))).toBe(order)
  })

  it.each([
    { text: '-1m', negative: true, whole: false },
    { text: '0', negative: false, whole: true },
    { text: '110', negative: false, whole: true },
    { text: '1500m', negative: false, whole: false },
    { text: '2000m', negative: false, whole: true },
  ])('$text: negative $negative, whole $whole', ({ text, negative, whole }) => {
    expect(isNegative(quantity(text))).toBe(negative)
    expect(isWhole(quantity(text))).toBe(whole)
  })
})
