/** Which nodes does the fleet view show? The filter is kept in the URL's query. */
import {
  type NodeState,
  type NodeSummary,
  nodeStates,
} from '../../shared/lifecycle/liveness/node-summary.ts'
import type { Query } from './query.ts'

export interface Filter {
  readonly zone: string
  /** Empty: all. */
  readonly states: readonly NodeState[]
  /** A label selector as kubectl takes it. */
  readonly labels: string
}

export const noFilter: Filter = { zone: '', states: [], labels: '' }

export function filterOf({ zone = '', state = '', labels = '' }: Query): Filter {
  const wanted = state.split(',')
  return { zone, states: nodeStates.filter((known) => wanted.includes(known)), labels }
}

export const filterQuery = ({ zone, states, labels }: Filter): Query => ({
  zone,
  state: states.join(','),
  labels,
})

export const isFiltering = ({ zone, states, labels }: Filter): boolean =>
  zone !== '' || states.length > 0 || labels !== ''

/** Another click on the same state takes it back. */
export function toggleState(filter: Filter, state: NodeState): Filter {
  const states = filter.states.includes(state)
    ? filter.states.filter((other) => other !== state)
    : nodeStates.filter((other) => other === state || filter.states.includes(other))
  return { ...filter, states }
}

export type NodeMatcher = (node: NodeSummary) => boolean

/** `labelled`: the names that match the label selector, where there is one. */
export function nodeMatcher({ states }: Filter, labelled: ReadonlySet<string> | undefined) {
  return ({ name, state }: NodeSummary): boolean =>
    (states.length === 0 || states.includes(state)) &&
    (labelled === undefined || labelled.has(name))
}
