import { expect, it } from 'vitest'
import { spanText } from '../../../shared/lifecycle/evidence.ts'

it.each([
  { ms: 50_068, text: '50.068 s' },
  { ms: 599_999, text: '599.999 s' },
  { ms: 600_000, text: '10 min' },
  { ms: 3_599_999, text: '59 min' },
  { ms: 7_500_000, text: '2 h 5 min' },
])('$ms ms are told as $text', ({ ms, text }) => {
  expect(spanText(ms)).toBe(text)
})
