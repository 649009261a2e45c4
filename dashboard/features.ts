/** What the fleet view can do beyond counts and a list of nodes, a line each. */
import { fleetCells } from './cells/feature.ts'
import type { FleetFeature } from './views/fleet-feature.ts'

export const fleetFeatures: readonly FleetFeature[] = [
  // Each can be deleted together with its folder.
  fleetCells,
]
