/** The Fleet and the Zones, which every view needs. They are few and small, so they are polled. */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { paths, withFieldSelector } from '../api/paths.ts'
import type { ReportedFleet, ReportedZone } from '../state/fleet-objects.ts'
import { useWatch } from './use-watch.ts'

interface FleetStatus {
  readonly fleet: ReportedFleet | undefined
  readonly zones: ReadonlyMap<string, ReportedZone>
  /** False until the zones have arrived: a view that names them waits for it. */
  readonly isLoaded: boolean
}

const POLL_MS = 2_000
const fleetPath = withFieldSelector(paths.fleets, 'metadata.name=fleet')

/** Called once, by the component around all views. */
export function useFleetStatusLists(): FleetStatus {
  const options = { watch: false, pollMs: POLL_MS }
  const fleets = useWatch<ReportedFleet>({ path: fleetPath, ...options })
  const zones = useWatch<ReportedZone>({ path: paths.zones, ...options })
  return { fleet: fleets.items.get('fleet'), zones: zones.items, isLoaded: zones.isLoaded }
}

export const FleetStatusContext = createContext<FleetStatus>({
  fleet: undefined,
  zones: new Map(),
  isLoaded: false,
})

export const useFleetStatus = (): FleetStatus => useContext(FleetStatusContext)
