import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gridFor, indexAfterKey, indexAt, positionOf } from '../../../dashboard/cells/grid.ts'

const counts = fc.integer({ min: 1, max: 20_000 })
const widths = fc.integer({ min: 200, max: 2_000 })

describe('the grid of a zone', () => {
  it('finds under the pointer the cell that was drawn there', () => {
    fc.assert(
      fc.property(counts, widths, fc.nat(), (count, widthPx, any) => {
        const grid = gridFor(count, widthPx)
        const index = any % count
        const { xPx, yPx } = positionOf(grid, index)
        expect(indexAt(grid, xPx + grid.pitchPx / 2, yPx + grid.pitchPx / 2)).toBe(index)
        expect(xPx + grid.pitchPx).toBeLessThanOrEqual(widthPx)
      }),
    )
  })

  it('finds no node beside the cells', () => {
    const grid = gridFor(10, 300)
    const past = grid.columns * grid.pitchPx
    expect([indexAt(grid, -1, 0), indexAt(grid, past, 0), indexAt(grid, 0, 9_999)]).toEqual([
      -1, -1, -1,
    ])
  })

  it('draws few nodes large and many small', () => {
    expect(gridFor(20, 300).pitchPx).toBeGreaterThan(gridFor(2_000, 300).pitchPx)
  })

  it('never leaves its cells by keyboard, and reaches them all', () => {
    const keys = fc.constantFrom('ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End')
    fc.assert(
      fc.property(counts, widths, fc.array(keys), (count, widthPx, walk) => {
        const grid = gridFor(count, widthPx)
        const end = walk.reduce((index, key) => indexAfterKey(grid, index, key)!, 0)
        expect(end).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThan(count)
      }),
    )
    expect(indexAfterKey(gridFor(5, 300), 2, 'x')).toBeUndefined()
  })
})
