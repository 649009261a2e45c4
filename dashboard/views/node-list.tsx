/** The nodes as a table, worst first: to read, to search with the browser, and for phones. */
import { useMemo } from 'preact/hooks'
import { type NodeSummary, nodeStates } from '../../shared/lifecycle/liveness/node-summary.ts'
import { NodeLink } from '../page/link.tsx'
import { StateName } from '../page/shape.tsx'
import { useNow } from '../page/use-now.ts'
import type { NodeMatcher } from '../state/filter.ts'
import { amount, clockAndAge } from '../state/format.ts'
import { isBad, type ZoneView } from '../state/zone-view.ts'

interface NodeListProps {
  readonly views: readonly ZoneView[]
  readonly isFiltered: boolean
  readonly matches: NodeMatcher
}

/** More than fits a screen; a filter finds the rest. */
const MOST_ROWS = 100

export function NodeList({ views, isFiltered, matches }: NodeListProps) {
  const nowMs = useNow()
  const rows = useMemo(
    () => rowsOf(views, (node) => matches(node) && (isFiltered || isBad(node.state))),
    [views, matches, isFiltered],
  )
  if (rows.length === 0) return isFiltered ? <p class="panel">No node matches the filter.</p> : null
  return (
    <section class="panel">
      <h2>
        {isFiltered
          ? amount(rows.length, 'node matches', 'nodes match')
          : 'Nodes that are not ready'}
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
          {rows.slice(0, MOST_ROWS).map(({ node, zone }) => (
            <tr key={node.name}>
              <td>
                <NodeLink name={node.name} />
              </td>
              <td>
                <StateName state={node.state} />
              </td>
              <td>{zone}</td>
              <td>{sinceText(node, nowMs)}</td>
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

function sinceText({ sinceSeconds }: NodeSummary, nowMs: number): string {
  return sinceSeconds === 0 ? 'never reported' : clockAndAge(sinceSeconds * 1000, nowMs)
}

function rowsOf(views: readonly ZoneView[], wanted: NodeMatcher) {
  const rows = views.flatMap(({ title, nodes }) =>
    nodes.filter(wanted).map((node) => ({ node, zone: title })),
  )
  const rank = ({ state }: NodeSummary) => nodeStates.indexOf(state)
  return rows.sort(
    (a, b) => rank(a.node) - rank(b.node) || b.node.sinceSeconds - a.node.sinceSeconds,
  )
}
