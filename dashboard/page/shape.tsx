/** A state as it looks in the fleet, in the middle of text. */
import type { CellState } from '../../shared/lifecycle/cells.ts'
import { BOX, shapes } from '../cells/shapes.ts'
import { stateNames } from '../state/state-words.ts'

export const Shape = ({ state }: { readonly state: CellState }) => (
  <svg class={`shape ${state}`} viewBox={`0 0 ${BOX} ${BOX}`} aria-hidden="true">
    <path d={shapes[state]} fill-rule="evenodd" />
  </svg>
)

export const StateName = ({ state }: { readonly state: CellState }) => (
  <span class="state">
    <Shape state={state} />
    {stateNames[state]}
  </span>
)
