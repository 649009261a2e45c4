import { describe, expect, it } from 'vitest'
import { latestRefusals } from '../../../../shared/lifecycle/liveness/refused-beats.ts'

const NOW_MS = 100_000
const uids: Readonly<Record<string, string>> = { a: 'uid-a', b: 'uid-b' }
const uidOf = (name: string) => uids[name]

describe('refused beats of all processes', () => {
  it.each([
    { when: 'there is no record', records: [], latest: {} },
    {
      when: 'two processes refused one node: the later counts',
      records: [{ a: { atMs: 5_000 } }, { a: { atMs: 9_000 }, b: { atMs: 1 } }, { a: { atMs: 7 } }],
      latest: { a: 9_000, b: 1 },
    },
    {
      when: 'the token was of the Node there is',
      records: [{ a: { atMs: 5_000, uid: 'uid-a' } }],
      latest: { a: 5_000 },
    },
    {
      when: 'the token was of an earlier Node of the name',
      records: [{ a: { atMs: 5_000, uid: 'uid-of-yore' } }],
      latest: {},
    },
    { when: 'there is no such Node', records: [{ x: { atMs: 5_000 } }], latest: {} },
    {
      when: 'a clock is ahead of ours',
      records: [{ a: { atMs: NOW_MS + 900 } }],
      latest: { a: NOW_MS },
    },
  ])('$when', ({ records, latest }) => {
    const told = records.map((nodes) => ({ nodes: nodes as Record<string, { atMs: number }> }))
    expect(Object.fromEntries(latestRefusals(told, uidOf, NOW_MS))).toEqual(latest)
  })
})
