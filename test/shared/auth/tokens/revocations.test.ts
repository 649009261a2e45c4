import { describe, expect, it } from 'vitest'
import { REVOCATIONS_LIMIT, revoke } from '../../../../shared/auth/tokens/revocations.ts'

const nowMs = Date.UTC(2026, 0, 10)
const now = nowMs / 1000
const WEEK = 7 * 24 * 3600
const stored = (value: Record<string, number>) => ({ name: 'revocations', version: 7, value })
const until = (subject: string, issuedBeforeSeconds = now) => ({ subject, issuedBeforeSeconds })

describe('the record of revocations', () => {
  it('grows by one, stating what it was computed from', () => {
    expect(revoke(stored({ ann: now - 60 }), until('bob'), nowMs)).toEqual({
      do: 'putRecord',
      name: 'revocations',
      value: { ann: now - 60, bob: now },
      believed: 7,
    })
  })

  it('begins when there is none', () => {
    const step = revoke(undefined, until('ann'), nowMs)
    expect(step).toMatchObject({ value: { ann: now }, believed: undefined })
  })

  it('forgets what no living token can need', () => {
    const step = revoke(stored({ old: now - WEEK, ann: now - WEEK + 1 }), until('bob'), nowMs)
    expect(step).toMatchObject({ value: { ann: now - WEEK + 1, bob: now } })
    expect(step).not.toHaveProperty('value.old')
  })

  it('is never weakened', () => {
    const step = revoke(stored({ ann: now }), until('ann', now - 60), nowMs)
    expect(step).toMatchObject({ value: { ann: now } })
  })

  it('stays small, and says what to do instead', () => {
    const many = Object.fromEntries(
      Array.from({ length: REVOCATIONS_LIMIT }, (_, at) => [`u${at}`, now]),
    )
    expect(() => revoke(stored(many), until('one more'), nowMs)).toThrow('keys rotate --force')
  })
})
