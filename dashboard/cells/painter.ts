/** Draws the nodes of a zone, each time only those that changed since the last. */
import {
  type NodeState,
  type NodeSummary,
  nodeStates,
} from '../../shared/lifecycle/liveness/node-summary.ts'
import type { NodeMatcher } from '../state/filter.ts'
import { SHAPE_BOX, stateShapes } from '../state/node-states.ts'
import { type Grid, positionOf } from './grid.ts'

interface Picture {
  readonly grid: Grid
  readonly nodes: readonly NodeSummary[]
  readonly matches: NodeMatcher
  readonly colours: Readonly<Record<NodeState, string>>
  readonly pixelRatio: number
}

export interface Painter {
  paint(picture: Picture): void
}

/** Nodes outside of the filter stay visible: the others keep their positions. */
const FAINT = 0.16
const GAP = 0.14

export function painter(canvas: HTMLCanvasElement): Painter {
  let drawn: string[] = []
  let style = ''
  let sprites: ReadonlyMap<string, HTMLCanvasElement> = new Map()
  return {
    paint(picture) {
      const nextStyle = styleOf(picture)
      if (nextStyle !== style) {
        style = nextStyle
        drawn = []
        sprites = spritesFor(picture)
        resize(canvas, picture)
      }
      drawn = drawChanged(canvas, picture, sprites, drawn)
    },
  }
}

/** When this changes, every node is drawn anew. */
function styleOf({ grid, colours, pixelRatio }: Picture): string {
  return JSON.stringify([grid.columns, grid.rows, grid.pitchPx, grid.count, colours, pixelRatio])
}

function resize(canvas: HTMLCanvasElement, { grid, pixelRatio }: Picture): void {
  const [widthPx, heightPx] = [grid.columns * grid.pitchPx, grid.rows * grid.pitchPx]
  canvas.width = Math.round(widthPx * pixelRatio)
  canvas.height = Math.round(heightPx * pixelRatio)
  canvas.style.width = `${widthPx}px`
  canvas.style.height = `${heightPx}px`
}

const FAINT_SUFFIX = ' faint'

function drawChanged(
  canvas: HTMLCanvasElement,
  { grid, nodes, matches, pixelRatio }: Picture,
  sprites: ReadonlyMap<string, HTMLCanvasElement>,
  drawn: readonly string[],
): string[] {
  const context = canvas.getContext('2d')
  const side = Math.round(grid.pitchPx * pixelRatio)
  return nodes.map((node, index) => {
    const wanted = matches(node) ? node.state : node.state + FAINT_SUFFIX
    if (!context || drawn[index] === wanted) return wanted
    const { xPx, yPx } = positionOf(grid, index)
    const [x, y] = [Math.round(xPx * pixelRatio), Math.round(yPx * pixelRatio)]
    context.clearRect(x, y, side, side)
    context.drawImage(sprites.get(wanted)!, x, y)
    return wanted
  })
}

/** Each shape is drawn once and then copied: ten thousand paths would take too long. */
function spritesFor({
  grid,
  colours,
  pixelRatio,
}: Picture): ReadonlyMap<string, HTMLCanvasElement> {
  const side = Math.round(grid.pitchPx * pixelRatio)
  const sprites = new Map<string, HTMLCanvasElement>()
  for (const state of nodeStates) {
    sprites.set(state, sprite(side, stateShapes[state], colours[state], 1))
    sprites.set(state + FAINT_SUFFIX, sprite(side, stateShapes[state], colours[state], FAINT))
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
  const scale = (side - 2 * gap) / SHAPE_BOX
  context.setTransform(scale, 0, 0, scale, gap, gap)
  context.globalAlpha = alpha
  context.fillStyle = colour
  context.fill(new Path2D(shape), 'evenodd')
  return canvas
}
