/** What each state of a node is called, what it means and how it is drawn. */
import type { NodeState } from '../../shared/lifecycle/liveness/node-summary.ts'

type PerState = Readonly<Record<NodeState, string>>

export const stateLabels: PerState = {
  evicting: 'Evicting',
  unknown: 'Unknown',
  notReady: 'NotReady',
  cordoned: 'Cordoned',
  ready: 'Ready',
}

export const stateMeanings: PerState = {
  evicting: 'its pods are told to leave, and go when their time is up',
  unknown: 'silent for longer than its grace allows',
  notReady: 'it beats, and says itself that it is not ready',
  cordoned: 'ready, but gets no new pods because somebody said so',
  ready: 'it beats and says that it is ready',
}

/** The side of the square in which shapes are drawn. */
export const SHAPE_BOX = 10

/**
 * SVG paths. Each state has a shape of its own, so that no user depends on colours. A healthy node
 * is small and quiet; the others fill their box.
 */
export const stateShapes: PerState = {
  // A square.
  ready: 'M2 2H8V8H2Z',
  // A square with a hole in it.
  cordoned: 'M1.5 1.5H8.5V8.5H1.5ZM3.4 3.4V6.6H6.6V3.4Z',
  // A triangle.
  notReady: 'M5 .6L9.7 9.2H.3Z',
  // A disc.
  unknown: 'M5 .4A4.6 4.6 0 1 1 4.99 .4Z',
  // A cross.
  evicting: 'M2.2 .2L5 3L7.8 .2L9.8 2.2L7 5L9.8 7.8L7.8 9.8L5 7L2.2 9.8L.2 7.8L3 5L.2 2.2Z',
}
