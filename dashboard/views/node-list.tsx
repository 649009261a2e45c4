/** The same in words, worst first: for reading, for searching with the browser, and for phones. */
import { useMemo } from 'preact/hooks'
import { type Cell, cellStates } from '../../shared/lifecycle/cells.ts'
import { NodeLink } from '../page/link.tsx'
import { StateName } from '../page/shape.tsx'
import { useNow } from '../page/use-now.ts'
import { isBad, type ZoneView } from '../state/fleet-view.ts'
import { type Filter, isFiltering } from '../state/place.ts'
import { ago, amount, clock } from '../state/words.ts'
import type { IsShown } from './fleet.tsx'

interface NodeListProps {
  readonly views: readonly ZoneView[]
  readonly filter: Filter
  readonly isShown: IsShown
}

/** Nobody reads more; a filter finds the rest. */
const MOST_ROWS = 100

export function NodeList({ views, filter, isShown }: NodeListProps) {
  const nowMs = useNow()
  const isChosen = isFiltering(filter)
  const rows = useMemo(
    () => rowsOf(views, (cell) => isShown(cell) && (isChosen || isBad(cell.state))),
    [views, isShown, isChosen],
  )
  if (rows.length === 0) return isChosen ? <p class="panel">No node matches the filter.</p> : null
  return (
    <section class="panel">
      <h2>
        {isChosen ? amount(rows.length, 'node matches', 'nodes match') : 'Nodes that are not ready'}
      </h2>
      <table>
        <thead>
          <tr>
            <th>Node</th>
            <th>State</th>
            <th>Zone</th>
            <th>Since</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map(({ cell, zone }) => (
            <tr key={cell.name}>
              <td>
                <NodeLink name={cell.name} />
              </td>
              <td>
                <StateName state={cell.state} />
              </td>
              <td>{zone}</td>
              <td>{sinceText(cell, nowMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS && (
        <p class="dim">And {amount(rows.length - MOST_ROWS, 'more', 'more')}: narrow the filter.</p>
      )}
    </section>
  )
}

function sinceText({ sinceSeconds }: Cell, nowMs: number): string {
  if (sinceSeconds === 0) return 'never reported'
  const atMs = sinceSeconds * 1000
  return `${clock(atMs, nowMs)} (${ago(atMs, nowMs)})`
}

function rowsOf(views: readonly ZoneView[], wanted: IsShown) {
  const rows = views.flatMap(({ title, cells }) =>
    cells.filter(wanted).map((cell) => ({ cell, zone: title })),
  )
  const rank = ({ state }: Cell) => cellStates.indexOf(state)
  return rows.sort(
    (a, b) => rank(a.cell) - rank(b.cell) || b.cell.sinceSeconds - a.cell.sinceSeconds,
  )
}
