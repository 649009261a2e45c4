/**
 * Ten thousand nodes are a picture, not ten thousand elements; for keys and screen readers one
 * element at a time.
 */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { type Cell, type CellState, cellStates } from '../../shared/lifecycle/cells.ts'
import { cellAt, type Grid, gridFor, moved, positionOf } from '../cells/grid.ts'
import { type Painter, painter } from '../cells/painter.ts'
import { go } from '../page/navigation.ts'
import { stateNames } from '../state/state-words.ts'
import { CellTip } from './cell-tip.tsx'
import type { IsShown } from './fleet.tsx'

interface CellCanvasProps {
  readonly label: string
  readonly cells: readonly Cell[]
  readonly isShown: IsShown
}

export function CellCanvas({ label, cells, isShown }: CellCanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const option = useId()
  const grid = useGrid(box, cells.length)
  const theme = useTheme()
  const [active, setActive] = useState(-1)
  usePainting(canvas, { grid, cells, isShown, theme })

  const open = (index: number) => {
    const cell = cells[index]
    if (cell) go({ view: 'node', name: cell.name })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return open(active)
    const next = grid && moved(grid, Math.max(0, active), event.key)
    if (next === undefined) return
    event.preventDefault()
    setActive(next)
  }
  const under = ({ offsetX, offsetY }: MouseEvent) => (grid ? cellAt(grid, offsetX, offsetY) : -1)
  const cell = cells[active]
  return (
    <div ref={box} class="cells">
      <div
        role="listbox"
        tabIndex={0}
        aria-label={`${label}. Arrow keys move, Enter opens.`}
        aria-activedescendant={cell ? option : undefined}
        onKeyDown={onKeyDown}
        onFocus={() => setActive((index) => Math.max(0, index))}
        onBlur={() => setActive(-1)}
        onPointerMove={(event) => setActive(under(event))}
        onPointerLeave={() => setActive(-1)}
        onClick={(event) => open(under(event))}
      >
        <canvas ref={canvas} />
        {cell && (
          <div role="option" id={option} aria-selected="true" class="unseen" tabIndex={-1}>
            {cell.name}, {stateNames[cell.state]}
          </div>
        )}
      </div>
      {cell && grid && <CellTip cell={cell} {...positionOf(grid, active)} grid={grid} />}
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
  readonly cells: readonly Cell[]
  readonly isShown: IsShown
  readonly theme: string
}

function usePainting(canvas: { current: HTMLCanvasElement | null }, painting: Painting): void {
  const brush = useRef<Painter | undefined>(undefined)
  const { grid, cells, isShown, theme } = painting
  // The theme is among them because it changes the colours.
  useEffect(() => {
    if (!grid || !canvas.current) return
    brush.current ??= painter(canvas.current)
    const colours = coloursOf(canvas.current)
    brush.current.paint({ grid, cells, isShown, colours, pixelRatio: devicePixelRatio })
  }, [grid, cells, isShown, theme])
}

function coloursOf(element: HTMLElement): Readonly<Record<CellState, string>> {
  const style = getComputedStyle(element)
  const entries = cellStates.map((state) => [state, style.getPropertyValue(`--${state}`)])
  return Object.fromEntries(entries)
}

function useTheme(): 'dark' | 'light' {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const [isDark, setDark] = useState(dark.matches)
  useEffect(() => {
    const look = (event: MediaQueryListEvent) => setDark(event.matches)
    dark.addEventListener('change', look)
    return () => dark.removeEventListener('change', look)
  }, [dark])
  return isDark ? 'dark' : 'light'
}
