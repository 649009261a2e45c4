import { expect, it } from 'vitest'
import type { Condition, Pod } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import {
  isEvicted,
  withRequestedEviction,
} from '../../../../shared/lifecycle/eviction/disruption-target.ts'

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

it('leaves the other conditions of the pod as they are', () => {
  const ready = { type: 'Ready', status: 'True' } as const
  const { status } = withRequestedEviction(pod([ready, target('False')]), NOW)
  expect(status?.conditions).toMatchObject([ready, { type: 'DisruptionTarget', status: 'True' }])
})

it('asks again for a pod that was to leave once and stayed', () => {
  const { status } = withRequestedEviction(pod([target('True')]), NOW)
  expect(status?.conditions).toMatchObject([{ reason: 'EvictionByEvictionAPI' }])
})

it('takes no pod for evicted that is not being deleted', () => {
  expect(isEvicted(pod([target('True')]))).toBe(false)
  expect(isEvicted(pod([target('True')], LEAVING))).toBe(true)
})
