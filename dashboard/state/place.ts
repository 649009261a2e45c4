/**
 * Where on the page are we? The URL says it whole, so that a link shown to a colleague shows them
 * the same.
 */
import { type CellState, cellStates } from '../../shared/lifecycle/cells.ts'

export interface Filter {
  readonly zone: string
  /** Empty: all. */
  readonly states: readonly CellState[]
  /** A label selector as kubectl takes it. */
  readonly labels: string
}

export type Place =
  | { readonly view: 'fleet'; readonly filter: Filter }
  | { readonly view: 'node'; readonly name: string }
  | { readonly view: 'leases'; readonly namespace: string }
  | { readonly view: 'activity' }

export const noFilter: Filter = { zone: '', states: [], labels: '' }

export function placeOf(search: string): Place {
  const query = new URLSearchParams(search)
  const name = query.get('node')
  if (name) return { view: 'node', name }
  const view = query.get('view')
  if (view === 'leases') return { view, namespace: query.get('namespace') ?? '' }
  if (view === 'activity') return { view }
  return { view: 'fleet', filter: filterOf(query) }
}

function filterOf(query: URLSearchParams): Filter {
  const wanted = (query.get('state') ?? '').split(',')
  return {
    zone: query.get('zone') ?? '',
    states: cellStates.filter((state) => wanted.includes(state)),
    labels: query.get('labels') ?? '',
  }
}

/** `/`, or `/?…`. */
export function urlOf(place: Place): string {
  const text = new URLSearchParams(Object.entries(paramsOf(place)).filter(([, value]) => value))
  const search = text.toString()
  return search === '' ? '/' : `/?${search}`
}

function paramsOf(place: Place): Record<string, string> {
  if (place.view === 'node') return { node: place.name }
  if (place.view === 'leases') return { view: 'leases', namespace: place.namespace }
  if (place.view === 'activity') return { view: 'activity' }
  const { zone, states, labels } = place.filter
  return { zone, state: states.join(','), labels }
}

export const isFiltering = ({ zone, states, labels }: Filter): boolean =>
  zone !== '' || states.length > 0 || labels !== ''

/** Another click on the same state takes it back. */
export function toggleState(filter: Filter, state: CellState): Filter {
  const states = filter.states.includes(state)
    ? filter.states.filter((other) => other !== state)
    : cellStates.filter((other) => other === state || filter.states.includes(other))
  return { ...filter, states }
}
