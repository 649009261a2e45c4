import { describe, expect, it } from 'vitest'
import type { Pod } from '../../../shared/kube/objects.ts'
import { formatTime } from '../../../shared/kube/time.ts'
import { eventsOf, evict, isEvicted } from '../../../shared/lifecycle/evicted-pod.ts'
import { readDue, withDue } from '../../../shared/lifecycle/eviction-record.ts'

const NOW = Date.UTC(2024, 0, 1)
const EARLIER = formatTime(NOW - 60_000)
const running: Pod = {
  metadata: { name: 'p', namespace: 'default', generation: 3 },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running' },
}

describe('the evicted pod', () => {
  it('says why, and ends after its grace', () => {
    const { kind, pod } = evict(running, NOW)
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

  it('carries no countdown any more', () => {
    const counting = withDue(running, { startedAtMs: NOW - 1_000, dueAtMs: NOW })
    expect(readDue(evict(counting, NOW).pod)).toBeUndefined()
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
  ])('$when: $kind', ({ seconds, phase, grace, kind }) => {
    const spec = { nodeName: 'n1', terminationGracePeriodSeconds: seconds }
    const evicted = evict({ ...running, spec, status: { phase } }, NOW)
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
    const { kind, pod } = evict(leaving, NOW)
    expect(kind).toBe('terminating')
    expect(pod.metadata).toMatchObject({ deletionTimestamp: EARLIER, generation: 3 })
    expect(pod.status?.conditions).toMatchObject([
      { reason: 'DeletionByTaintManager', lastTransitionTime: EARLIER },
    ])
  })
})

describe('what is told', () => {
  it('names the pod without its uid', () => {
    const verdict = { kind: 'evict', reason: 'timeUp', cancels: false } as const
    expect(eventsOf(verdict, { namespace: 'default', name: 'p' })).toEqual([
      {
        component: 'taint-eviction-controller',
        type: 'Normal',
        reason: 'TaintManagerEviction',
        message: 'Marking for deletion Pod default/p',
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      },
    ])
  })
})
