import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LEASE_EXPIRY_ALLOWANCE_MS } from '../../../../shared/lifecycle/clock-bounds.ts'
import {
  expiresAtMs,
  isBeat,
  isLeaseExpired,
  judgeClaim,
  type LeaseHolder,
} from '../../../../shared/lifecycle/liveness/holder.ts'

const receivedAtMs = 100_000
const held: LeaseHolder = {
  holderIdentity: 'a',
  leaseDurationSeconds: 15,
  leaseTransitions: 7,
  receivedAtMs,
}
const endMs = receivedAtMs + 15_000 + LEASE_EXPIRY_ALLOWANCE_MS

describe('the holder rule', () => {
  it.each([
    {
      when: 'nothing was ever stored',
      stored: undefined,
      wanted: { holderIdentity: 'a', leaseTransitions: 3 },
      claim: { kind: 'acquire', leaseTransitions: 3 },
    },
    {
      when: 'nothing was ever stored and nobody counts',
      stored: undefined,
      wanted: { holderIdentity: 'a' },
      claim: { kind: 'acquire' },
    },
    {
      when: 'a lease without holder is created',
      stored: undefined,
      wanted: { leaseTransitions: 2 },
      claim: { kind: 'other', leaseTransitions: 2 },
    },
    {
      when: 'a deleted lease is created again',
      stored: { leaseTransitions: 7 },
      wanted: { holderIdentity: 'a', leaseTransitions: 0 },
      claim: { kind: 'acquire', leaseTransitions: 8 },
    },
    {
      when: 'the holder sends an old number',
      stored: held,
      wanted: { holderIdentity: 'a', leaseTransitions: 1 },
      claim: { kind: 'renew', leaseTransitions: 7 },
    },
    {
      when: 'the holder comes back after its time',
      stored: held,
      nowMs: endMs + 1,
      wanted: { holderIdentity: 'a' },
      claim: { kind: 'renew', leaseTransitions: 7 },
    },
    {
      when: 'another asks in the last moment of the allowance',
      stored: held,
      nowMs: endMs,
      wanted: { holderIdentity: 'b' },
      claim: { kind: 'held' },
    },
    {
      when: 'another asks a moment later',
      stored: held,
      nowMs: endMs + 1,
      wanted: { holderIdentity: 'b', leaseTransitions: 99 },
      claim: { kind: 'acquire', leaseTransitions: 8 },
    },
    {
      when: 'another asks for a lease without duration',
      stored: { holderIdentity: 'a', leaseTransitions: 7, receivedAtMs },
      nowMs: Number.MAX_SAFE_INTEGER,
      wanted: { holderIdentity: 'b' },
      claim: { kind: 'held' },
    },
    {
      when: 'the holder lets go',
      stored: held,
      wanted: { holderIdentity: '', leaseTransitions: 0 },
      claim: { kind: 'release', leaseTransitions: 7 },
    },
    {
      when: 'the holder is left out',
      stored: held,
      wanted: {},
      claim: { kind: 'release', leaseTransitions: 7 },
    },
    {
      when: 'a released lease is taken',
      stored: { ...held, holderIdentity: '' },
      wanted: { holderIdentity: 'b' },
      claim: { kind: 'acquire', leaseTransitions: 8 },
    },
    {
      when: 'a lease that never counted is taken',
      stored: { holderIdentity: '' },
      wanted: { holderIdentity: 'b' },
      claim: { kind: 'acquire', leaseTransitions: 1 },
    },
    {
      when: 'a lease without holder stays without',
      stored: { holderIdentity: '', leaseTransitions: 4 },
      wanted: { leaseTransitions: 1 },
      claim: { kind: 'other', leaseTransitions: 4 },
    },
  ])('$when: $claim.kind', ({ stored, wanted, claim, nowMs = receivedAtMs }) => {
    expect(judgeClaim(stored, wanted, nowMs)).toEqual(claim)
  })

  it('counts up at every acquisition and never otherwise', () => {
    const holder = fc.constantFrom('', 'a', 'b', undefined)
    const number = fc.option(fc.nat(9), { nil: undefined })
    fc.assert(
      fc.property(holder, number, holder, number, fc.nat(40_000), (from, had, to, sent, nowMs) => {
        const stored = tenure(from, had)
        const claim = judgeClaim(stored, spec(to, sent), receivedAtMs + nowMs)
        if (claim.kind === 'held') return isLeaseExpired(stored, receivedAtMs + nowMs) === false
        const expected = claim.kind === 'acquire' ? (had ?? 0) + 1 : had
        return claim.leaseTransitions === expected
      }),
    )
  })
})

describe('a beat', () => {
  const wanted = { holderIdentity: 'a', renewTime: '2024-01-02T03:04:05.000000Z' }
  it.each([
    { when: 'renewTime moves on', stored: '2024-01-02T03:04:04.000000Z', wanted, beat: true },
    { when: 'renewTime moves back', stored: '2024-01-02T03:04:06.000000Z', wanted, beat: true },
    { when: 'there was no renewTime', stored: undefined, wanted, beat: true },
    { when: 'renewTime is the same', stored: wanted.renewTime, wanted, beat: false },
    { when: 'nobody holds', stored: 'x', wanted: { ...wanted, holderIdentity: '' }, beat: false },
    { when: 'it is taken away', stored: 'x', wanted: { holderIdentity: 'a' }, beat: false },
    { when: 'neither has one', stored: null, wanted: { holderIdentity: 'a' }, beat: false },
  ])('$when: $beat', ({ stored, wanted, beat }) => {
    expect(isBeat(stored, wanted)).toBe(beat)
  })
})

describe('the end of a lease', () => {
  it('is when it was received plus its duration', () => {
    expect(expiresAtMs(held)).toBe(receivedAtMs + 15_000)
  })

  it('never comes without a duration or before the first beat', () => {
    expect(expiresAtMs({ holderIdentity: 'a', receivedAtMs })).toBeUndefined()
    expect(expiresAtMs({ holderIdentity: 'a', leaseDurationSeconds: 1 })).toBeUndefined()
  })
})

function tenure(
  holderIdentity: string | undefined,
  leaseTransitions: number | undefined,
): LeaseHolder {
  return {
    ...spec(holderIdentity, leaseTransitions),
    leaseDurationSeconds: 15,
    receivedAtMs,
  }
}

function spec(holderIdentity: string | undefined, leaseTransitions: number | undefined) {
  return {
    ...(holderIdentity !== undefined && { holderIdentity }),
    ...(leaseTransitions !== undefined && { leaseTransitions }),
  }
}
