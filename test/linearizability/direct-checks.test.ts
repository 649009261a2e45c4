import { describe, expect, it } from 'vitest'
import { directChecks } from './direct-checks.ts'
import type { Call, Entry, Kind, Seen } from './history.ts'

let lastId = 0

interface Told {
  readonly atMs: number
  readonly call: Call
  readonly outcome?: Entry['outcome']
  readonly status?: number
  readonly seen?: Partial<Seen>
  readonly kind?: Kind
}

/** A call of ten milliseconds. */
function told({ atMs, call, outcome = 'ok', status, seen, kind = 'lease' }: Told): Entry {
  lastId += 1
  const shown = seen && { version: 1, uid: 'u', token: '', ...seen }
  const times = { invokedUs: atMs * 1_000, returnedUs: (atMs + 10) * 1_000 }
  const who = { id: lastId, key: 'k', kind, client: 0 }
  return {
    ...who,
    ...times,
    call,
    outcome,
    ...(status && { status }),
    ...(shown && { seen: shown }),
  }
}

const held = (atMs: number, holder: string, version: number, transitions: number): Entry => {
  const token = `t${version}`
  const call = { do: 'patch' as const, holder, token }
  return told({ atMs, call, seen: { holder, version, transitions, token } })
}
const released = (atMs: number, version: number, transitions: number): Entry => {
  const call = { do: 'put' as const, holder: '', token: `t${version}` }
  return told({ atMs, call, seen: { holder: '', version, transitions, token: `t${version}` } })
}
const checksOf = (...entries: Entry[]) => directChecks(entries).map(({ check }) => check)

describe('a refusal', () => {
  const refused = (status: number) =>
    told({ atMs: 0, call: { do: 'put', token: 'x' }, outcome: 'refused', status })
  const read = (seen: Partial<Seen>) => told({ atMs: 50, call: { do: 'read' }, seen })

  it.each([
    { when: 'its token is the stored one', status: 409, seen: { token: 'x' } },
    { when: 'its token is in the list', status: 422, seen: { token: 'y', list: ['y', 'x'] } },
    { when: 'it was told to come back later', status: 429, seen: { token: 'x' } },
  ])('is a lie when $when', ({ status, seen }) => {
    expect(checksOf(refused(status), read(seen))).toEqual(['refused yet written'])
  })

  it('is the truth when its token never shows', () => {
    expect(checksOf(refused(409), read({ token: 'y' }))).toEqual([])
  })

  it('differs from a call without an answer, which may have been written', () => {
    const lost = told({ atMs: 0, call: { do: 'put', token: 'x' }, outcome: 'unknown' })
    expect(checksOf(lost, read({ token: 'x' }))).toEqual([])
  })
})

describe('a write', () => {
  const read = (version: number, token: string, list: readonly string[] = []) =>
    told({ atMs: version, call: { do: 'read' }, seen: { version, token, list }, kind: 'node' })

  it('was applied twice when it is back after another', () => {
    expect(checksOf(read(1, 'x'), read(2, 'y'), read(3, 'x'), read(4, 'x'))).toEqual([
      'applied twice',
    ])
  })

  it('was applied twice when the list has it twice', () => {
    expect(checksOf(read(1, 'x', ['a', 'b', 'a']), read(2, 'x', ['a', 'b', 'a']))).toEqual([
      'applied twice',
    ])
  })

  it('was applied once when it stays while the list grows', () => {
    expect(checksOf(read(2, 'x', ['a', 'b']), read(1, 'x', ['a']), read(3, 'y', ['a']))).toEqual([])
  })
})

describe('a lease of one second', () => {
  it('has two holders when another takes it within two', () => {
    expect(checksOf(held(0, 'a', 1, 1), held(1_900, 'b', 2, 2))).toEqual(['two holders'])
  })

  it('may be taken two seconds after the last renewal', () => {
    expect(checksOf(held(0, 'a', 1, 1), held(1_995, 'b', 2, 2))).toEqual([])
  })

  it('may be taken at once when it was released', () => {
    expect(checksOf(held(0, 'a', 1, 1), released(100, 2, 1), held(200, 'b', 3, 2))).toEqual([])
  })

  it.each(['ok', 'unknown'] as const)(
    'may be taken when a deletion came in between: %s',
    (outcome) => {
      const deletion = told({ atMs: 100, call: { do: 'delete' }, outcome })
      expect(checksOf(held(0, 'a', 1, 1), deletion, held(200, 'b', 3, 2))).toEqual([])
    },
  )

  it('may be taken when an unanswered release of long ago came late', () => {
    const release = told({ atMs: 0, call: { do: 'patch', holder: '' }, outcome: 'unknown' })
    expect(checksOf(release, held(500, 'a', 1, 1), held(700, 'b', 2, 2))).toEqual([])
  })

  it('is not freed by a deletion that was refused', () => {
    const call = { do: 'delete', version: 9 } as const
    const refused = told({ atMs: 100, call, outcome: 'refused', status: 409 })
    expect(checksOf(held(0, 'a', 1, 1), refused, held(200, 'b', 3, 2))).toEqual(['two holders'])
  })
})

describe('a fencing number', () => {
  it('never falls', () => {
    expect(checksOf(held(0, 'a', 1, 5), held(5_000, 'b', 2, 4))).toEqual(['fencing number fell'])
  })

  it('belongs to one holder', () => {
    expect(checksOf(held(0, 'a', 1, 5), held(5_000, 'b', 2, 5))).toEqual([
      'fencing number repeated',
    ])
  })

  it('is not given to its holder again after a release', () => {
    const history = [held(0, 'a', 1, 5), released(100, 2, 5), held(200, 'a', 3, 5)]
    expect(checksOf(...history)).toEqual(['fencing number repeated'])
  })

  it('stays through renewals and a release', () => {
    expect(checksOf(held(0, 'a', 1, 5), held(50, 'a', 2, 5), released(100, 3, 5))).toEqual([])
  })

  it('starts anew with the next lease of a node', () => {
    const first = { ...held(0, 'a', 1, 5), kind: 'nodeLease' as const }
    const next = { ...held(5_000, 'b', 2, 0), kind: 'nodeLease' as const }
    expect(checksOf(first, { ...next, seen: { ...next.seen!, uid: 'v' } })).toEqual([])
    expect(checksOf(first, next)).toEqual(['fencing number fell'])
  })
})
