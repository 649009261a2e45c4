import { describe, expect, it } from 'vitest'
import type { Taint } from '../../../../shared/kube/objects.ts'
import {
  judgeTaints,
  swapTaint,
  withoutForeignTaints,
} from '../../../../shared/lifecycle/taints/node-taints.ts'
import { NOT_READY, UNREACHABLE } from '../../../../shared/lifecycle/taints/taints.ts'
import { play } from '../scenario.ts'
import { defaultConfig, type VectorCondition } from '../vector-shapes.ts'

const noExecute = (key: string, timeAdded?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(timeAdded !== undefined && { timeAdded }),
})
const mine = noExecute('example.com/mine')

describe('the two lifecycle taints', () => {
  it.each([
    { current: 'True', taints: [], verdict: 'kept' },
    { current: 'True', taints: [mine], verdict: 'kept' },
    { current: 'True', taints: [noExecute(NOT_READY)], verdict: 'reachable' },
    { current: 'False', taints: [], verdict: 'wait' },
    { current: 'False', taints: [noExecute(NOT_READY)], verdict: 'kept' },
    { current: 'False', taints: [noExecute(UNREACHABLE)], verdict: 'swap' },
    { current: 'Unknown', taints: [mine], verdict: 'wait' },
    { current: 'Unknown', taints: [noExecute(UNREACHABLE)], verdict: 'kept' },
    { current: 'Unknown', taints: [noExecute(NOT_READY)], verdict: 'swap' },
    { current: undefined, taints: [noExecute(NOT_READY)], verdict: 'kept' },
  ] as const)(
    'of a node that is $current with $taints: $verdict',
    ({ current, taints, verdict }) => {
      expect(judgeTaints(current, taints)).toBe(verdict)
    },
  )

  it('are swapped with the time of the one that goes, so no countdown starts again', () => {
    const before = [mine, noExecute(NOT_READY, '2026-01-01T00:00:00Z')]
    expect(swapTaint(before, 'Unknown', Date.UTC(2026, 5, 1))).toEqual([
      mine,
      noExecute(UNREACHABLE, '2026-01-01T00:00:00Z'),
    ])
  })

  it.each([
    { when: 'has no time', timeAdded: undefined, kept: false },
    { when: 'is older than the node', timeAdded: '2025-12-31T23:59:59Z', kept: false },
    { when: 'is of the second the node was made', timeAdded: '2026-01-01T00:00:00Z', kept: true },
    { when: 'is younger than the node', timeAdded: '2026-01-02T00:00:00Z', kept: true },
  ])('on a new node: kept is $kept for one that $when', ({ timeAdded, kept }) => {
    const taint = noExecute(UNREACHABLE, timeAdded)
    const node = {
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { taints: [mine, taint] },
    }
    expect(withoutForeignTaints(node)).toEqual(kept ? [mine, taint] : [mine])
  })
})

describe('a host without a lease that falls silent', () => {
  const ready = (status: 'True' | 'False', at: number): VectorCondition => ({
    ...{ type: 'Ready', status, reason: '', message: '' },
    ...{ heartbeat: at, transition: at },
  })
  const node = (name: string) => ({ name, createdAt: -100, conditions: [ready('True', 0)] })

  it('gets its first taint in the instant in which it was declared, when nothing settles', async () => {
    const steps = [
      { op: 'putNode', node: node('silent') },
      { op: 'putNode', node: node('well') },
      { op: 'monitor' },
      { op: 'clock', at: 51 },
      { op: 'setConditions', node: 'well', conditions: [ready('True', 51)] },
      { op: 'monitor' },
      { op: 'taintPass' },
      { op: 'check', id: 'end' },
    ]
    const wanted = { noExecute: { silent: [UNREACHABLE], well: [] }, queue: { '': [] } }
    await play({ config: defaultConfig, pods: [], steps }, { end: wanted })
  })
})

it('a swapped taint keeps the time of a lifecycle taint that has one, and of no other', () => {
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']
  const timeOf = (taints: readonly Taint[]) =>
    swapTaint(taints, 'False', 0).find(({ key }) => key === NOT_READY)?.timeAdded
  expect(timeOf([noExecute(mine.key, early), noExecute(UNREACHABLE, late)])).toBe(late)
  expect(timeOf([noExecute(NOT_READY), noExecute(UNREACHABLE, late)])).toBe(late)
})
