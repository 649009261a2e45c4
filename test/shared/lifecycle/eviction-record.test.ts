import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Pod } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import {
  EVICT_AT,
  readDue,
  withDue,
  withoutDue,
} from '../../../shared/lifecycle/eviction-record.ts'

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
      const written = withDue(pod, { startedAtMs, dueAtMs })
      expect(readDue(written)).toEqual({ startedAtMs, dueAtMs })
      expect(withoutDue(written)).toEqual(pod)
      expect(withoutDue(withDue(bare, { startedAtMs, dueAtMs }))).toEqual(bare)
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
    when: 'it was copied from an earlier pod',
    of: withDue({ metadata: { creationTimestamp: formatTime(T0 + 60_000) } }, due),
  },
])('$when: there is no countdown', ({ of }) => {
  expect(readDue(of)).toBeUndefined()
})

it('bears two clocks that disagree a little', () => {
  const early = withDue({ metadata: { creationTimestamp: formatTime(T0 + 5_000) } }, due)
  expect(readDue(early)).toEqual(due)
})
