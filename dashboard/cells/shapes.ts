/**
 * Every state has a shape of its own, so that nobody has to tell colours apart. Drawn in a box of
 * 10 by 10, by the canvas and by the legend alike. What is well is small and quiet; what is not
 * fills its box.
 */
import type { CellState } from '../../shared/lifecycle/cells.ts'

export const BOX = 10

export const shapes: Readonly<Record<CellState, string>> = {
  // A square.
  ready: 'M2 2H8V8H2Z',
  // A square with a hole in it.
  cordoned: 'M1.5 1.5H8.5V8.5H1.5ZM3.4 3.4V6.6H6.6V3.4Z',
  // A triangle.
  notReady: 'M5 .6L9.7 9.2H.3Z',
  // A disc.
  unknown: 'M5 .4A4.6 4.6 0 1 1 4.99 .4Z',
  // A cross.
  evicting: 'M2.2 .2L5 3L7.8 .2L9.8 2.2L7 5L9.8 7.8L7.8 9.8L5 7L2.2 9.8L.2 7.8L3 5L.2 2.2Z',
}
