import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pod } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import {
  EVICT_AT,
  readCountdown,
  withCountdown,
  withoutCountdown,
} from '../../../../shared/lifecycle/eviction/countdown.ts'

const T0 = Date.UTC(2024, 0, 1)
const pod: Pod = {
  metadata: { name: 'p', creationTimestamp: formatTime(T0), annotations: { mine: 'kept' } },
}
const bare: Pod = { metadata: { name: 'p' } }
const due = { startedAtMs: T0 + 1_234, dueAtMs: T0 + 301_234 }

it('reads back to the millisecond what it wrote, and forgets it', () => {
  const ms = fc.integer({ min: T0, max: T0 + 1e12 })
  fc.assert(
    fc.property(ms, ms, (startedAtMs, dueAtMs) => {
      const written = withCountdown(pod, { startedAtMs, dueAtMs })
      expect(readCountdown(written)).toEqual({ startedAtMs, dueAtMs })
      expect(withoutCountdown(written)).toEqual(pod)
      expect(withoutCountdown(withCountdown(bare, { startedAtMs, dueAtMs }))).toEqual(bare)
    }),
  )
})

it.each([
  { when: 'nothing is written', of: pod },
  {
    when: 'half of it is missing',
    of: { metadata: { annotations: { [EVICT_AT]: formatTime(T0) } } },
  },
  {
    when: 'the other half of it is missing',
    of: { metadata: { annotations: { 'leasehold.dev/evict-since': formatTime(T0) } } },
  },
  {
    when: 'it was copied from an earlier pod',
    of: withCountdown({ metadata: { creationTimestamp: formatTime(T0 + 60_000) } }, due),
  },
])('$when: there is no countdown', ({ of }) => {
  expect(readCountdown(of)).toBeUndefined()
})

it('bears two clocks that disagree a little', () => {
  const early = withCountdown({ metadata: { creationTimestamp: formatTime(T0 + 5_000) } }, due)
  expect(readCountdown(early)).toEqual(due)
})

it.each([
  { laterMs: 4_000, found: { startedAtMs: T0, dueAtMs: T0 + 9 } },
  { laterMs: 5_000, found: undefined },
])('bears a creation $laterMs ms after its beginning, or not', ({ laterMs, found }) => {
  const created: Pod = { metadata: { creationTimestamp: formatTime(T0 + laterMs) } }
  const written = withCountdown(created, { startedAtMs: T0, dueAtMs: T0 + 9 })
  expect(readCountdown(written)).toEqual(found)
})

it.each(['leasehold.dev/evict-since', EVICT_AT])(
  'leaves nothing of half a countdown: %s',
  (key) => {
    expect(withoutCountdown({ metadata: { annotations: { [key]: formatTime(T0) } } })).toEqual({
      metadata: {},
    })
  },
)

it('is the same pod when there was none', () => {
  expect(withoutCountdown(pod)).toBe(pod)
})
