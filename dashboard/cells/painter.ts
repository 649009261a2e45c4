/**
 * Draws the cells of a zone. Only those that changed since the last time, so an update costs what
 * it changes.
 */
import { type Cell, type CellState, cellStates } from '../../shared/lifecycle/cells.ts'
import { type Grid, positionOf } from './grid.ts'
import { BOX, shapes } from './shapes.ts'

export interface Picture {
  readonly grid: Grid
  readonly cells: readonly Cell[]
  readonly isShown: (cell: Cell) => boolean
  readonly colours: Readonly<Record<CellState, string>>
  readonly pixelRatio: number
}

export interface Painter {
  paint(picture: Picture): void
}

/** What a filter leaves out stays visible, faintly: its place helps to find the rest. */
const FAINT = 0.16
const GAP = 0.14

export function painter(canvas: HTMLCanvasElement): Painter {
  let drawn: string[] = []
  let look = ''
  let sprites: ReadonlyMap<string, HTMLCanvasElement> = new Map()
  return {
    paint(picture) {
      const nextLook = lookOf(picture)
      if (nextLook !== look) {
        look = nextLook
        drawn = []
        sprites = spritesFor(picture)
        resize(canvas, picture)
      }
      drawn = drawChanged(canvas, picture, sprites, drawn)
    },
  }
}

/** Whatever makes every cell look different when it changes. */
function lookOf({ grid, colours, pixelRatio }: Picture): string {
  return JSON.stringify([grid.columns, grid.rows, grid.pitchPx, grid.count, colours, pixelRatio])
}

function resize(canvas: HTMLCanvasElement, { grid, pixelRatio }: Picture): void {
  const [widthPx, heightPx] = [grid.columns * grid.pitchPx, grid.rows * grid.pitchPx]
  canvas.width = Math.round(widthPx * pixelRatio)
  canvas.height = Math.round(heightPx * pixelRatio)
  canvas.style.width = `${widthPx}px`
  canvas.style.height = `${heightPx}px`
}

const FAINT_MARK = ' faint'

function drawChanged(
  canvas: HTMLCanvasElement,
  { grid, cells, isShown, pixelRatio }: Picture,
  sprites: ReadonlyMap<string, HTMLCanvasElement>,
  drawn: readonly string[],
): string[] {
  const context = canvas.getContext('2d')
  const side = Math.round(grid.pitchPx * pixelRatio)
  return cells.map((cell, index) => {
    const wanted = isShown(cell) ? cell.state : cell.state + FAINT_MARK
    if (!context || drawn[index] === wanted) return wanted
    const { xPx, yPx } = positionOf(grid, index)
    const [x, y] = [Math.round(xPx * pixelRatio), Math.round(yPx * pixelRatio)]
    context.clearRect(x, y, side, side)
    context.drawImage(sprites.get(wanted)!, x, y)
    return wanted
  })
}

/** Each shape is drawn once and then stamped: ten thousand paths would take too long. */
function spritesFor({
  grid,
  colours,
  pixelRatio,
}: Picture): ReadonlyMap<string, HTMLCanvasElement> {
  const side = Math.round(grid.pitchPx * pixelRatio)
  const sprites = new Map<string, HTMLCanvasElement>()
  for (const state of cellStates) {
    sprites.set(state, sprite(side, shapes[state], colours[state], 1))
    sprites.set(state + FAINT_MARK, sprite(side, shapes[state], colours[state], FAINT))
  }
  return sprites
}

function sprite(side: number, shape: string, colour: string, alpha: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d')
  if (!context) return canvas
  const gap = (side * GAP) / 2
  const scale = (side - 2 * gap) / BOX
  context.setTransform(scale, 0, 0, scale, gap, gap)
  context.globalAlpha = alpha
  context.fillStyle = colour
  context.fill(new Path2D(shape), 'evenodd')
  return canvas
}
