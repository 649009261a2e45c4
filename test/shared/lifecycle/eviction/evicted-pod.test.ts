import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { readCountdown, withCountdown } from '../../../../shared/lifecycle/eviction/countdown.ts'
import { isEvicted } from '../../../../shared/lifecycle/eviction/disruption-target.ts'
import { emittedBy, evictedPod } from '../../../../shared/lifecycle/eviction/evicted-pod.ts'
import type { EvictionVerdict } from '../../../../shared/lifecycle/eviction/judge-pod.ts'

const NOW = Date.UTC(2024, 0, 1)
const EARLIER = formatTime(NOW - 60_000)
const running: Pod = {
  metadata: { name: 'p', namespace: 'default', generation: 3 },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
}

describe('the evicted pod', () => {
  it('says why, and ends after its grace', () => {
    const { kind, pod } = evictedPod(running, NOW)
    expect(kind).toBe('terminating')
    expect(pod.metadata).toMatchObject({
      generation: 4,
      deletionTimestamp: formatTime(NOW + 30_000),
      deletionGracePeriodSeconds: 30,
    })
    expect(pod.status?.conditions).toEqual([
      {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        lastTransitionTime: formatTime(NOW),
      },
    ])
    expect(isEvicted(pod)).toBe(true)
  })

  it('gets no generation when it has none', () => {
    const { pod } = evictedPod({ ...running, metadata: { name: 'p' } }, NOW)
    expect(pod.metadata).not.toHaveProperty('generation')
  })

  it('carries no countdown any more', () => {
    const counting = withCountdown(running, { startedAtMs: NOW - 1_000, dueAtMs: NOW })
    expect(readCountdown(evictedPod(counting, NOW).pod)).toBeUndefined()
  })

  it.each([
    {
      when: 'it asks for ten seconds',
      seconds: 10,
      phase: 'Running',
      grace: 10,
      kind: 'terminating',
    },
    { when: 'it asks for none', seconds: 0, phase: 'Running', grace: 0, kind: 'removed' },
    { when: 'it asks for nonsense', seconds: -1, phase: 'Running', grace: 1, kind: 'terminating' },
    { when: 'it has finished', seconds: 30, phase: 'Succeeded', grace: 0, kind: 'removed' },
    { when: 'it has failed', seconds: 30, phase: 'Failed', grace: 0, kind: 'removed' },
  ])('$when: $kind', ({ seconds, phase, grace, kind }) => {
    const spec = { nodeName: 'n1', terminationGracePeriodSeconds: seconds }
    const evicted = evictedPod({ ...running, spec, status: { phase } }, NOW)
    expect(evicted.kind).toBe(kind)
    expect(evicted.pod.metadata.deletionGracePeriodSeconds).toBe(grace)
  })

  it('keeps the grace somebody else gave it, and the time its condition turned True', () => {
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      lastTransitionTime: EARLIER,
    } as const
    const leaving: Pod = {
      metadata: { ...running.metadata, deletionTimestamp: EARLIER, deletionGracePeriodSeconds: 5 },
      status: { conditions: [{ ...condition, reason: 'EvictionByEvictionAPI' }] },
    }
    const { kind, pod } = evictedPod(leaving, NOW)
    expect(kind).toBe('terminating')
    expect(pod.metadata).toMatchObject({ deletionTimestamp: EARLIER, generation: 3 })
    expect(pod.status?.conditions).toMatchObject([
      { reason: 'DeletionByTaintManager', lastTransitionTime: EARLIER },
    ])
  })
})

describe('what is told', () => {
  it.each([
    {
      when: 'it is evicted',
      verdict: { kind: 'evict', cancels: false },
      told: ['MarkingForDeletion'],
    },
    {
      when: 'it is evicted before its time was up',
      verdict: { kind: 'evict', cancels: true },
      told: ['CancellingDeletion', 'MarkingForDeletion'],
    },
    { when: 'it may stay', verdict: { kind: 'cancel' }, told: ['CancellingDeletion'] },
    { when: 'it waits', verdict: { kind: 'wait', countdown: 'running' }, told: [] },
    {
      when: 'it waits for another moment',
      verdict: { kind: 'wait', countdown: 'replaced' },
      told: ['CancellingDeletion'],
    },
    { when: 'nothing is the matter', verdict: { kind: 'leave' }, told: [] },
  ])('when $when: $told', ({ verdict, told }) => {
    expect(emittedBy(verdict as EvictionVerdict)).toEqual(told)
  })
})
