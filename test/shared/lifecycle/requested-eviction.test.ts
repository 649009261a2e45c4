import { expect, it } from 'vitest'
import type { Condition, Pod } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { withRequestedEviction } from '../../../shared/lifecycle/requested-eviction.ts'

const NOW = Date.UTC(2024, 0, 1)
const pod = (conditions: readonly Condition[], deletionTimestamp?: string): Pod => ({
  metadata: { name: 'p', namespace: 'default', deletionTimestamp },
  status: { conditions },
})
const target = (status: 'True' | 'False', reason = 'DeletionByTaintManager'): Condition => ({
  type: 'DisruptionTarget',
  status,
  reason,
})
const LEAVING = formatTime(NOW + 30_000)

it.each([
  { when: 'it stays', before: pod([]), reason: 'EvictionByEvictionAPI' },
  {
    when: 'a host put an end to its disruption',
    before: pod([target('False')]),
    reason: 'EvictionByEvictionAPI',
  },
  {
    when: 'its owner deleted it',
    before: pod([], LEAVING),
    reason: 'EvictionByEvictionAPI',
  },
  {
    when: 'a taint made it leave',
    before: pod([target('True')], LEAVING),
    reason: 'DeletionByTaintManager',
  },
])('a pod asked to leave says $reason when $when', ({ before, reason }) => {
  const { status } = withRequestedEviction(before, NOW)
  expect(status?.conditions).toMatchObject([{ type: 'DisruptionTarget', status: 'True', reason }])
})
