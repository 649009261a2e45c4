/** What the views can do beyond counts, lists and forecasts, a line each. */
import { fleetCells } from './cells/feature.ts'
import { nodeWhy } from './explain/feature.tsx'
import type { FleetFeature } from './views/fleet-feature.ts'
import type { NodeFeature } from './views/node-feature.ts'

export const fleetFeatures: readonly FleetFeature[] = [
  // Each can be deleted together with its folder.
  fleetCells,
]

export const nodeFeatures: readonly NodeFeature[] = [
  // Each can be deleted together with its folder.
  nodeWhy,
]
