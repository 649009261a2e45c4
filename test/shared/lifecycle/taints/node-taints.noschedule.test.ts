import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '../../../../shared/kube/objects.ts'
import { formatTime } from '../../../../shared/kube/time.ts'
import { reconcileNoSchedule } from '../../../../shared/lifecycle/taints/node-taints.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const nodeWith = (taints: readonly Taint[], unschedulable: boolean): Node => ({
  metadata: { name: 'n' },
  spec: { taints, unschedulable },
})
const cordoned: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
const mine: Taint = { key: 'example.com/mine', effect: 'NoSchedule' }

describe('a taint that follows from the state of a node', () => {
  it.each([
    { when: 'it is added', before: [mine], now: true, after: [mine, stamped(cordoned)] },
    { when: 'it is there', before: [cordoned, mine], now: true, after: [cordoned, mine] },
    { when: 'it goes', before: [stamped(cordoned), mine], now: false, after: [mine] },
  ])('carries the time since when it is there: $when', ({ before, now, after }) => {
    expect(reconcileNoSchedule(nodeWith(before, now), NOW_MS)).toEqual(after)
  })

  it('costs nothing while it is in step: the same list comes back', () => {
    const node = nodeWith([cordoned], true)
    expect(reconcileNoSchedule(node, NOW_MS)).toBe(node.spec?.taints)
  })
})

function stamped(taint: Taint): Taint {
  return { ...taint, timeAdded: formatTime(NOW_MS) }
}
