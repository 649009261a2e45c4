import { describe, expect, it } from 'vitest'
import { byKey, type Entry, formatHistory, parseHistory } from './history.ts'

const entry: Entry = {
  id: 1,
  key: 'leases/default/a',
  kind: 'lease',
  client: 0,
  invokedUs: 10,
  returnedUs: 20,
  call: { do: 'put', version: 7, token: 't1', holder: 'client-0' },
  outcome: 'ok',
  status: 200,
  seen: { version: 8, uid: 'u', token: 't1', holder: 'client-0', transitions: 1 },
}

describe('a history', () => {
  it('is read as it was written', () => {
    const entries = [entry, { ...entry, id: 2, outcome: 'unknown' as const, seen: undefined }]
    expect(parseHistory(formatHistory(entries))).toEqual(entries)
  })

  it.each([
    { when: 'a line is cut short', line: '{"id":1,"key":"le' },
    { when: 'a line is null', line: 'null' },
    { when: 'an outcome is unheard of', line: JSON.stringify({ ...entry, outcome: 'fine' }) },
    { when: 'an answer comes before its call', line: JSON.stringify({ ...entry, returnedUs: 9 }) },
    { when: 'there is no call', line: JSON.stringify({ ...entry, call: undefined }) },
  ])('is refused, with the number of the line, when $when', ({ line }) => {
    expect(() => parseHistory(`${formatHistory([entry])}${line}\n`)).toThrow(/^line 2 /)
  })

  it('is taken apart by key', () => {
    const other = { ...entry, key: 'nodes/b' }
    expect([...byKey([entry, other, entry])]).toEqual([
      [entry.key, [entry, entry]],
      ['nodes/b', [other]],
    ])
  })
})
