import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node, Taint } from '../../../shared/kube/objects.ts'
import {
  CELLS_PER_CHUNK,
  type Cell,
  cellOf,
  cellStates,
  chunkCount,
  decodeCells,
  encodeCells,
} from '../../../shared/lifecycle/cells.ts'

const SINCE = '2026-01-02T03:04:05Z'
const unreachable: Taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }

function node(ready: 'True' | 'False' | 'Unknown' | undefined, spec: Node['spec'] = {}): Node {
  const conditions = ready && [{ type: 'Ready', status: ready, lastTransitionTime: SINCE }]
  return { metadata: { name: 'a' }, spec, status: conditions ? { conditions } : {} }
}

describe('cellOf', () => {
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
    expect(cellOf(of).state).toBe(state)
  })

  it('says since when', () => {
    expect(cellOf(node('True')).sinceSeconds).toBe(Date.parse(SINCE) / 1000)
    expect(cellOf(node(undefined)).sinceSeconds).toBe(0)
  })
})

it('reads back what it wrote', () => {
  const cell: fc.Arbitrary<Cell> = fc.record({
    name: fc.stringMatching(/^[a-z0-9.-]{1,40}$/),
    state: fc.constantFrom(...cellStates),
    sinceSeconds: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(cell), (cells) => {
      expect(decodeCells(encodeCells(cells))).toEqual(cells)
    }),
  )
})

it('shows a letter it does not know as unknown', () => {
  expect(decodeCells('a z 0')).toEqual([{ name: 'a', state: 'unknown', sinceSeconds: 0 }])
})

it('keeps chunks within their size on average, in powers of two', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500_000 }), (nodes) => {
      const chunks = chunkCount(nodes)
      expect(Math.log2(chunks) % 1).toBe(0)
      expect(nodes / chunks).toBeLessThanOrEqual(CELLS_PER_CHUNK)
    }),
  )
})
