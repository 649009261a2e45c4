/** The shape and the name of a node's state, within text. */
import type { NodeState } from '../../shared/lifecycle/liveness/node-summary.ts'
import { SHAPE_BOX, stateLabels, stateShapes } from '../state/node-states.ts'

export const Shape = ({ state }: { readonly state: NodeState }) => (
  <svg class={`shape ${state}`} viewBox={`0 0 ${SHAPE_BOX} ${SHAPE_BOX}`} aria-hidden="true">
    <path d={stateShapes[state]} fill-rule="evenodd" />
  </svg>
)

export const StateName = ({ state }: { readonly state: NodeState }) => (
  <span class="state">
    <Shape state={state} />
    {stateLabels[state]}
  </span>
)
