/** The monitor's features, in the order in which they work after a tick. */
import type { MonitorFeature } from './chores/chore.ts'
import { cellsFeature } from './features/cells.ts'
import { cloudCheckFeature } from './features/cloud-check/cloud-check.ts'
import { fleetViewFeature } from './features/fleet-view.ts'
import { namespaceDeletionFeature } from './features/namespaces/namespace-deletion.ts'
import { podCidrsFeature } from './features/pod-cidrs.ts'
import { podGarbageFeature } from './features/pod-garbage.ts'

export const features: readonly MonitorFeature[] = [
  podGarbageFeature,
  namespaceDeletionFeature,
  podCidrsFeature,
  cloudCheckFeature,
  cellsFeature,
  fleetViewFeature,
]
