import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  CELLS_PER_CHUNK,
  chunkCount,
  decodeCells,
  encodeCells,
} from '../../../../shared/lifecycle/cells/cells.ts'
import { type NodeSummary, nodeStates } from '../../../../shared/lifecycle/liveness/node-summary.ts'

it('reads back what it wrote', () => {
  const cell: fc.Arbitrary<NodeSummary> = fc.record({
    name: fc.stringMatching(/^[a-z0-9.-]{1,40}$/),
    state: fc.constantFrom(...nodeStates),
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
