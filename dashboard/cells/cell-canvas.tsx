/**
 * A zone's nodes as one canvas: ten thousand elements would be too slow. For keys and screen readers
 * there is one element, the active node.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import {
  type NodeState,
  type NodeSummary,
  nodeStates,
} from '../../shared/lifecycle/liveness/node-summary.ts'
import { navigate } from '../page/navigation.ts'
import { useBrowserValue } from '../page/use-browser-value.ts'
import type { NodeMatcher } from '../state/filter.ts'
import { stateLabels } from '../state/node-states.ts'
import type { ZonePictureProps } from '../views/fleet-feature.ts'
import { CellTip } from './cell-tip.tsx'
import { type Grid, gridFor, indexAfterKey, indexAt, positionOf } from './grid.ts'
import { type Painter, painter } from './painter.ts'

const darkTheme = matchMedia('(prefers-color-scheme: dark)')

export function CellCanvas({ view: { title, nodes }, matches }: ZonePictureProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const option = useId()
  const grid = useGrid(box, nodes.length)
  const isDark = useBrowserValue(darkTheme, ['change'], () => darkTheme.matches)
  const [active, setActive] = useState(-1)
  usePainting(canvas, { grid, nodes, matches, isDark })

  const open = (index: number) => {
    const node = nodes[index]
    if (node) navigate({ node: node.name })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return open(active)
    const next = grid && indexAfterKey(grid, Math.max(0, active), event.key)
    if (next === undefined) return
    event.preventDefault()
    setActive(next)
  }
  const under = ({ offsetX, offsetY }: MouseEvent) => (grid ? indexAt(grid, offsetX, offsetY) : -1)
  const node = nodes[active]
  return (
    <div ref={box} class="cells">
      <div
        role="listbox"
        tabIndex={0}
        aria-label={`Nodes of ${title}. Arrow keys move, Enter opens.`}
        aria-activedescendant={node ? option : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => setActive((index) => Math.max(0, index))}
        onBlur={() => setActive(-1)}
        onPointerMove={(event) => setActive(under(event))}
        onPointerLeave={() => setActive(-1)}
        onClick={(event) => open(under(event))}
      >
        <canvas ref={canvas} />
        {node && (
          <div role="option" id={option} aria-selected="true" class="unseen" tabIndex={-1}>
            {node.name}, {stateLabels[node.state]}
          </div>
        )}
      </div>
      {node && grid && <CellTip node={node} {...positionOf(grid, active)} grid={grid} />}
    </div>
  )
}

function useGrid(box: { current: HTMLElement | null }, count: number): Grid | undefined {
  const [widthPx, setWidthPx] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidthPx(entry?.contentRect.width ?? 0))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [box])
  return useMemo(() => (widthPx > 0 ? gridFor(count, widthPx) : undefined), [count, widthPx])
}

interface Painting {
  readonly grid: Grid | undefined
  readonly nodes: readonly NodeSummary[]
  readonly matches: NodeMatcher
  readonly isDark: boolean
}

function usePainting(canvas: { current: HTMLCanvasElement | null }, painting: Painting): void {
  const painted = useRef<Painter | undefined>(undefined)
  const { grid, nodes, matches, isDark } = painting
  // A change of the theme changes the colours.
  useEffect(() => {
    if (!grid || !canvas.current) return
    painted.current ??= painter(canvas.current)
    const colours = coloursOf(canvas.current)
    painted.current.paint({ grid, nodes, matches, colours, pixelRatio: devicePixelRatio })
  }, [grid, nodes, matches, isDark])
}

function coloursOf(element: HTMLElement): Readonly<Record<NodeState, string>> {
  const style = getComputedStyle(element)
  const entries = nodeStates.map((state) => [state, style.getPropertyValue(`--${state}`)])
  return Object.fromEntries(entries)
}
