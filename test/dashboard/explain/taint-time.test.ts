import { expect, it } from 'vitest'
import { taintTimeIn } from '../../../dashboard/explain/taint-time.ts'

const status = { subject: 'node', what: '', rule: 'token', because: [], text: '' }
const nextTime = '2026-11-16T17:49:46Z'

it.each([
  { when: 'the taint is next', next: 'NoExecute 17:49:46Z, 2 ahead', atMs: Date.parse(nextTime) },
  { when: 'the mark is next', next: 'marked Unknown 17:49:46Z', atMs: undefined },
  { when: 'nothing is next', next: undefined, atMs: undefined },
])('knows the time of the taint only when $when', ({ next, atMs }) => {
  expect(
    taintTimeIn({ metadata: {}, status: { ...status, ...(next && { next, nextTime }) } }),
  ).toBe(atMs)
})
