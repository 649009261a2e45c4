/** What the states of a node are called, and what each means. */
import type { CellState } from '../../shared/lifecycle/cells.ts'

export const stateNames: Readonly<Record<CellState, string>> = {
  evicting: 'Evicting',
  unknown: 'Unknown',
  notReady: 'NotReady',
  cordoned: 'Cordoned',
  ready: 'Ready',
}

export const stateMeanings: Readonly<Record<CellState, string>> = {
  evicting: 'tainted NoExecute: its pods leave when their time is up',
  unknown: 'silent for longer than its grace',
  notReady: 'beating, and says itself that it is not ready',
  cordoned: 'ready, and takes no new pods because somebody said so',
  ready: 'beating and ready',
}
