import { describe, expect, it } from 'vitest'
import type { ConditionStatus } from '../../../../shared/kube/objects.ts'
import { podsOwed, podsToMark } from '../../../../shared/lifecycle/eviction/pod-decisions.ts'
import { knownNode, podOn } from '../fleet.ts'
import { play } from '../scenario.ts'
import { defaultConfig, type VectorCondition } from '../vector-shapes.ts'

const podWith = (status: ConditionStatus) =>
  podOn('p', 'n', { status: { conditions: [{ type: 'Ready', status }] } })

describe('a pod that was to be marked not ready', () => {
  const ready = podWith('True')
  const hostWith = (status: ConditionStatus) =>
    knownNode({ metadata: { name: 'n' }, status: { conditions: [{ type: 'Ready', status }] } })
  const unknown = hostWith('Unknown')

  it.each([
    { when: 'nothing was written', pod: ready, host: unknown, onlyIfMarked: true, owed: 1 },
    { when: 'it was written', pod: podWith('False'), host: unknown, onlyIfMarked: true, owed: 0 },
    { when: 'the pod is gone', pod: undefined, host: unknown, onlyIfMarked: true, owed: 0 },
    { when: 'the host is gone', pod: ready, host: undefined, onlyIfMarked: true, owed: 0 },
    { when: 'a new pod', pod: { ...ready, uid: 'b' }, host: unknown, onlyIfMarked: true, owed: 0 },
    { when: 'a beat was faster', pod: ready, host: hostWith('False'), onlyIfMarked: true, owed: 0 },
    { when: 'it was bound', pod: ready, host: hostWith('False'), onlyIfMarked: false, owed: 1 },
  ])('$when: $owed owed', ({ pod, host, onlyIfMarked, owed }) => {
    const pods = podsToMark([ready], 0)
    const action = { do: 'markPodsNotReady', node: 'n', pods, onlyIfMarked } as const
    expect(podsOwed([action], { node: () => host?.object, pod: () => pod })).toHaveLength(owed)
  })
})

describe('a mark on a pod that failed', () => {
  const ready = (status: ConditionStatus, at: number): VectorCondition => ({
    ...{ type: 'Ready', status, reason: '', message: '' },
    ...{ heartbeat: at, transition: at },
  })
  const node = { name: 'node0', createdAt: 0, conditions: [ready('True', 0)] }

  it.each([
    { when: 'the host stays silent', conditions: undefined, writes: 2 },
    { when: 'the host reports that it is not ready', conditions: [ready('False', 62)], writes: 2 },
    { when: 'the host reports that it is ready', conditions: [ready('True', 62)], writes: 1 },
    { when: 'the host no longer says', conditions: [], writes: 1 },
  ])('is written again unless the host is well: $when', async ({ conditions, writes }) => {
    const steps = [
      { op: 'putNode', node },
      { op: 'monitor' },
      { op: 'clock', at: 60 },
      { op: 'failPodStatusWrites', count: 1 },
      { op: 'monitor' },
      { op: 'clock', at: 65 },
      ...(conditions ? [{ op: 'setConditions', node: 'node0', conditions }] : []),
      { op: 'monitor' },
      { op: 'check', id: 'end' },
    ]
    const pods = [{ name: 'p', namespace: 'default', node: 'node0', ready: 'True' }]
    const wanted = { podStatusWrites: writes, nodesToRetry: [] }
    await play({ config: defaultConfig, pods, steps }, { end: wanted })
  })
})
