/** The position of each node in the canvas, and which one is under the pointer. */

export interface Grid {
  readonly count: number
  readonly columns: number
  readonly rows: number
  /** Side of a cell with its gap. */
  readonly pitchPx: number
}

/** From a size for thumbs to the smallest that still shows the shape. */
const PITCHES_PX = [26, 22, 18, 15, 12, 10, 8, 7, 6]
/** Taller than this, a zone no longer fits on a screen beside the others. */
const MOST_HEIGHT_PX = 400

export function gridFor(count: number, widthPx: number): Grid {
  const fitting = PITCHES_PX.map((pitchPx) => gridOf(count, widthPx, pitchPx))
  return fitting.find(({ rows, pitchPx }) => rows * pitchPx <= MOST_HEIGHT_PX) ?? fitting.at(-1)!
}

function gridOf(count: number, widthPx: number, pitchPx: number): Grid {
  const columns = Math.max(1, Math.floor(widthPx / pitchPx))
  return { count, columns, rows: Math.max(1, Math.ceil(count / columns)), pitchPx }
}

export function indexAt({ columns, pitchPx, count }: Grid, xPx: number, yPx: number): number {
  const [column, row] = [Math.floor(xPx / pitchPx), Math.floor(yPx / pitchPx)]
  const index = row * columns + column
  return column >= 0 && column < columns && row >= 0 && index < count ? index : -1
}

export const positionOf = ({ columns, pitchPx }: Grid, index: number) => ({
  xPx: (index % columns) * pitchPx,
  yPx: Math.floor(index / columns) * pitchPx,
})

/** The index that a key leads to; undefined for a key without a meaning here. */
export function indexAfterKey(
  { columns, count }: Grid,
  index: number,
  key: string,
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index - columns,
    ArrowDown: index + columns,
    Home: 0,
    End: count - 1,
  }
  const next = steps[key]
  if (next === undefined) return undefined
  return next >= 0 && next < count ? next : index
}
