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
  evicting: 'its pods are told to leave, and go when their time is up',
  unknown: 'silent for longer than its grace allows',
  notReady: 'it beats, and says itself that it is not ready',
  cordoned: 'ready, but gets no new pods because somebody said so',
  ready: 'it beats and says that it is ready',
}
