/**
 * Zones and the fleet, which every view needs for its banners and forecasts: small, so simply read
 * again and again.
 */
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Fleet, Zone } from '../state/fleet-objects.ts'
import { useFollowed } from './use-followed.ts'

export interface FleetStatus {
  readonly fleet: Fleet | undefined
  readonly zones: ReadonlyMap<string, Zone>
}

const GROUP = '/apis/leasehold.dev/v1'
const POLL_MS = 2_000

export const paths = {
  fleets: `${GROUP}/fleets`,
  zones: `${GROUP}/zones`,
  cells: `${GROUP}/cells`,
  nodes: '/api/v1/nodes',
  events: '/api/v1/events',
  leases: '/apis/coordination.k8s.io/v1/leases',
} as const

/** Those that match a field selector. */
export const selecting = (path: string, selector: string): string =>
  `${path}?fieldSelector=${encodeURIComponent(selector)}`

/** As a list: a host without a lease is nothing to complain about in a console. */
export const nodeLeasePath = (name: string): string =>
  selecting(
    '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    `metadata.name=${name}`,
  )

export function useFleetStatus(): FleetStatus {
  const path = selecting(paths.fleets, 'metadata.name=fleet')
  const fleets = useFollowed<Fleet>({ path, watch: false, pollMs: POLL_MS })
  const { items: zones } = useFollowed<Zone>({ path: paths.zones, watch: false, pollMs: POLL_MS })
  return { fleet: fleets.items.get('fleet'), zones }
}

export const FleetStatusContext = createContext<FleetStatus>({ fleet: undefined, zones: new Map() })

export const useStatus = (): FleetStatus => useContext(FleetStatusContext)
