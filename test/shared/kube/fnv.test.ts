import { expect, it } from 'vitest'
import { fingerprint } from '../../../shared/kube/fnv.ts'

// The published test values of FNV-1a, 32 bits.
it.each([
  { text: '', hash: '811c9dc5' },
  { text: 'a', hash: 'e40c292c' },
  { text: 'foobar', hash: 'bf9cf968' },
])('the fingerprint of "$text" is $hash', ({ text, hash }) => {
  expect(fingerprint(text)).toBe(hash)
})
