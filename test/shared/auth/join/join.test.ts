import { describe, expect, it } from 'vitest'
import {
  hashProof,
  type JoinFacts,
  type JoinRecord,
  judgeJoin,
} from '../../../../shared/auth/join/join.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)
const mine = hashProof('the secret of this machine')
const theirs = hashProof('the secret of another machine')
const join: JoinRecord = {
  tokenId: 't',
  bootstrapId: 'abcdef',
  proofHash: mine,
  reservedUntilMs: nowMs + 60_000,
}
const claimed: JoinRecord = { ...join, nodeUid: 'u', reservedUntilMs: nowMs - 1 }
const node = { metadata: { name: 'a', uid: 'u' } }
const permitted = (until: string) => ({
  metadata: { ...node.metadata, annotations: { 'leasehold.dev/rejoin-until': until } },
})
const beating = { receivedAtMs: nowMs - 39_000, expiresAtMs: nowMs + 1_000 }
const lapsed = { receivedAtMs: nowMs - 60_000, expiresAtMs: nowMs - 1_001 }

type Row = { readonly when: string; readonly kind: string } & Omit<JoinFacts, 'nowMs'>

describe('without a Node of the name', () => {
  const rows: Row[] = [
    { when: 'nobody ever joined', kind: 'join', proofHash: mine },
    { when: 'nobody ever joined and no proof is shown', kind: 'join' },
    { when: 'another machine is joining', kind: 'refused', join, proofHash: theirs },
    { when: 'a machine without a proof asks while one is joining', kind: 'refused', join },
    {
      when: 'one without a proof is joining',
      kind: 'refused',
      join: { ...join, proofHash: undefined },
    },
    {
      when: 'another let its time run out',
      kind: 'join',
      join: { ...join, reservedUntilMs: nowMs },
      proofHash: theirs,
    },
    { when: 'the Node of another was deleted', kind: 'join', join: claimed, proofHash: theirs },
  ]
  it.each(rows)('$when: $kind', ({ when: _, kind, ...facts }) => {
    expect(judgeJoin({ ...facts, nowMs }).kind).toBe(kind)
  })

  it('a machine that repeats itself is recognised', () => {
    expect(judgeJoin({ join, proofHash: mine, nowMs })).toEqual({ kind: 'join', again: true })
  })
})

it('keeps the name for as long as a joining token for it may live, Node or not', () => {
  const young = { ...join, nodeUid: 'u' }
  expect(judgeJoin({ join: young, proofHash: theirs, nowMs }).kind).toBe('refused')
})

describe('with a Node of the name', () => {
  const used = { ...claimed, rejoinUsed: '2026-01-01T12:10:00Z' }
  const rows: Row[] = [
    { when: 'it was made by somebody else', kind: 'refused', node },
    {
      when: 'its own machine is back and the lease ran out',
      kind: 'rejoin',
      node,
      join: claimed,
      proofHash: mine,
      lease: lapsed,
    },
    {
      when: 'its own machine never sent a beat',
      kind: 'rejoin',
      node,
      join: claimed,
      proofHash: mine,
    },
    {
      when: 'its own machine crashed before it got its token',
      kind: 'rejoin',
      node,
      join,
      proofHash: mine,
    },
    {
      when: 'its own machine is back but something still beats',
      kind: 'refused',
      node,
      join: claimed,
      proofHash: mine,
      lease: beating,
    },
    {
      when: 'its lease never runs out',
      kind: 'refused',
      node,
      join: claimed,
      proofHash: mine,
      lease: { receivedAtMs: 0 },
    },
    {
      when: 'another machine comes and the lease ran out',
      kind: 'refused',
      node,
      join: claimed,
      proofHash: theirs,
      lease: lapsed,
    },
    {
      when: 'nobody proves anything and the lease ran out',
      kind: 'refused',
      node,
      join: { ...claimed, proofHash: undefined },
      lease: lapsed,
    },
    {
      when: 'the proof belongs to an earlier Node of the name',
      kind: 'refused',
      node,
      join: { ...claimed, nodeUid: 'before' },
      proofHash: mine,
    },
    {
      when: 'an operator allows it, though something beats',
      kind: 'rejoin',
      node: permitted('2026-01-01T12:10:00Z'),
      lease: beating,
    },
    {
      when: 'what the operator allowed is over',
      kind: 'refused',
      node: permitted('2026-01-01T12:00:00Z'),
    },
    {
      when: 'what the operator allowed was used',
      kind: 'refused',
      node: permitted('2026-01-01T12:10:00Z'),
      join: used,
    },
    {
      when: 'the operator allows it anew',
      kind: 'rejoin',
      node: permitted('2026-01-01T12:11:00Z'),
      join: used,
    },
    { when: 'the operator wrote no time', kind: 'refused', node: permitted('yes') },
  ]
  it.each(rows)('$when: $kind', ({ when: _, kind, ...facts }) => {
    expect(judgeJoin({ ...facts, nowMs }).kind).toBe(kind)
  })

  it('tells the person what to type', () => {
    expect(judgeJoin({ node, nowMs })).toMatchObject({
      reason: expect.stringContaining('kubectl annotate node a leasehold.dev/rejoin-until='),
    })
  })
})
