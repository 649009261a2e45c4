import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatMicroTime,
  formatTime,
  normalizeMicroTime,
  normalizeTime,
  parseTimeMs,
} from '../../../shared/kube/time.ts'
import vectors from '../../vectors/lease-validation.json' with { type: 'json' }

interface TimeCase {
  readonly name: string
  readonly given: { readonly kind: string; readonly field?: string; readonly text?: string | null }
  readonly expect: { readonly ok?: boolean; readonly output?: string | null }
}

// Null is the decoder's to drop; three digits are refused by Kubernetes and padded here, on purpose
// (spec 1.2).
const timeCases = (vectors.cases as readonly TimeCase[]).filter(
  ({ name, given }) =>
    given.kind === 'timeFormat' && given.text !== null && !name.startsWith('three'),
)

describe('the time vectors', () => {
  it.each(timeCases)('$name', ({ given, expect: expected }) => {
    const isMicro = given.field === 'renewTime' || given.field === 'acquireTime'
    const output = (isMicro ? normalizeMicroTime : normalizeTime)(given.text!)
    expect(output).toBe(expected.ok ? expected.output : undefined)
  })
})

describe('normalizeMicroTime', () => {
  it.each([
    { when: 'JavaScript sends three digits', text: '2024-01-02T03:04:05.123Z', out: '05.123000Z' },
    { when: 'there is no fraction', text: '2024-01-02T03:04:05Z', out: '05.000000Z' },
    { when: 'Go sends nine digits', text: '2024-01-02T03:04:05.123456789Z', out: '05.123456Z' },
    {
      when: 'the offset is spelled as zero',
      text: '2024-01-02T03:04:05.1+00:00',
      out: '05.100000Z',
    },
  ])('writes six digits when $when', ({ text, out }) => {
    expect(normalizeMicroTime(text)).toBe(`2024-01-02T03:04:${out}`)
  })

  it('keeps the microseconds of a year whose microseconds do not fit into a double', () => {
    const text = '9998-12-31T23:59:59.999999Z'
    expect(normalizeMicroTime('9999-01-01T00:59:59.999999+01:00')).toBe(text)
  })
})

describe('parseTimeMs', () => {
  it.each([
    { when: 'February has 29 days only in leap years', text: '2023-02-29T00:00:00Z' },
    { when: 'a century is not a leap year', text: '1900-02-29T00:00:00Z' },
    { when: 'April has 30 days', text: '2024-04-31T00:00:00Z' },
    { when: 'the month is 13', text: '2024-13-01T00:00:00Z' },
    { when: 'the day is zero', text: '2024-01-00T00:00:00Z' },
    { when: 'the hour is 24', text: '2024-01-01T24:00:00Z' },
    { when: 'the second is a leap second', text: '2016-12-31T23:59:60Z' },
    { when: 'there is no zone', text: '2024-01-01T00:00:00' },
    { when: 'letters are small', text: '2024-01-01t00:00:00z' },
    { when: 'the offset lacks its colon', text: '2024-01-01T00:00:00+0100' },
    { when: 'the offset has 60 minutes', text: '2024-01-01T00:00:00+01:60' },
    { when: 'the fraction is empty', text: '2024-01-01T00:00:00.Z' },
    { when: 'UTC falls into the year 10000', text: '9999-12-31T23:59:59-01:00' },
    { when: 'UTC falls before the year 0', text: '0000-01-01T00:00:00+01:00' },
    { when: 'there is a line break', text: '2024-01-01T00:00:00Z\n' },
    { when: 'it is empty', text: '' },
  ])('refuses $text: $when', ({ text }) => {
    expect(parseTimeMs(text)).toBeUndefined()
  })

  it.each([
    { text: '2000-02-29T00:00:00Z', ms: 951_782_400_000 },
    { text: '2024-02-29T12:00:00.5-05:30', ms: 1_709_227_800_500 },
    { text: '0001-01-01T00:00:00Z', ms: -62_135_596_800_000 },
    { text: '1969-12-31T23:59:59.9999Z', ms: -1 },
  ])('reads $text', ({ text, ms }) => {
    expect(parseTimeMs(text)).toBe(ms)
  })

  it('reads back whatever formatTime and toISOString write', () => {
    const ms = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
    fc.assert(
      fc.property(ms, (atMs) => {
        expect(parseTimeMs(new Date(atMs).toISOString())).toBe(atMs)
        expect(parseTimeMs(formatTime(atMs))).toBe(Math.floor(atMs / 1000) * 1000)
      }),
    )
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([undefined, 'number']).toContain(parseTimeMs(text) && typeof parseTimeMs(text))
      }),
    )
  })
})

it('writes microseconds with six digits, before 1970 too', () => {
  expect(formatMicroTime(1_704_164_645_000_001)).toBe('2024-01-02T03:04:05.000001Z')
  expect(formatMicroTime(-1)).toBe('1969-12-31T23:59:59.999999Z')
  expect(formatMicroTime(0)).toBe('1970-01-01T00:00:00.000000Z')
})

it('normalises a time it has written to itself', () => {
  const micros = fc.integer({ min: 0, max: 8_000_000_000_000_000 })
  fc.assert(
    fc.property(micros, (at) => {
      expect(normalizeMicroTime(formatMicroTime(at))).toBe(formatMicroTime(at))
    }),
  )
})
