import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '../../../../shared/kube/objects.ts'
import { summarizeNode } from '../../../../shared/lifecycle/liveness/node-summary.ts'

const SINCE = '2026-01-02T03:04:05Z'
const unreachable: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }

function node(ready: 'True' | 'False' | 'Unknown' | undefined, spec: Node['spec'] = {}): Node {
  const conditions = ready && [{ type: 'Ready', status: ready, lastTransitionTime: SINCE }]
  return { metadata: { name: 'a' }, spec, status: conditions ? { conditions } : {} }
}

describe('summarizeNode', () => {
  it.each([
    { when: 'it is Ready', of: node('True'), state: 'ready' },
    {
      when: 'it is Ready and cordoned',
      of: node('True', { unschedulable: true }),
      state: 'cordoned',
    },
    { when: 'it says it is not ready', of: node('False'), state: 'notReady' },
    { when: 'it fell silent', of: node('Unknown'), state: 'unknown' },
    { when: 'it never reported', of: node(undefined), state: 'unknown' },
    {
      when: 'it is being emptied',
      of: node('Unknown', { taints: [unreachable] }),
      state: 'evicting',
    },
    {
      when: 'its taint does not evict',
      of: node('Unknown', { taints: [{ ...unreachable, effect: 'NoSchedule' }] }),
      state: 'unknown',
    },
  ])('is $state when $when', ({ of, state }) => {
    expect(summarizeNode(of).state).toBe(state)
  })

  it('says since when', () => {
    expect(summarizeNode(node('True')).sinceSeconds).toBe(Date.parse(SINCE) / 1000)
    expect(summarizeNode(node(undefined)).sinceSeconds).toBe(0)
  })
})
