import { expect, it } from 'vitest'
import { lockState } from '../../../dashboard/state/lease.ts'

const lease = (holderIdentity: string, leaseDurationSeconds?: number) => ({
  metadata: { name: 'l', resourceVersion: '100000000' },
  spec: { holderIdentity, leaseDurationSeconds },
})

it.each([
  { when: 'it has no holder', given: lease('', 15), nowMs: 100_000, state: 'free' },
  { when: 'it was just renewed', given: lease('x', 15), nowMs: 100_001, state: 'held' },
  { when: 'its last second runs', given: lease('x', 15), nowMs: 116_000, state: 'held' },
  { when: 'that is over', given: lease('x', 15), nowMs: 116_001, state: 'expired' },
  { when: 'it has no duration', given: lease('x'), nowMs: 9e12, state: 'forever' },
])('a lock is $state when $when', ({ given, nowMs, state }) => {
  expect(lockState(given, nowMs)).toBe(state)
})
