/** Every zone with the state of its nodes, as the fleet view shows it. */
import type { Node } from '../../shared/kube/objects.ts'
import {
  type NodeState,
  type NodeSummary,
  summarizeNode,
} from '../../shared/lifecycle/liveness/node-summary.ts'
import { NO_ZONE } from '../../shared/lifecycle/zones/zone-state.ts'
import type { ReportedFleet, ReportedZone } from './fleet-objects.ts'
import { zoneOf } from './node-world.ts'

/** Some nodes of one zone. */
export interface ZoneNodes {
  /** The name of the Zone object. */
  readonly zone: string
  readonly nodes: readonly NodeSummary[]
}

export type StateCounts = Readonly<Record<NodeState, number>>

export interface ZoneView {
  /** The name of the Zone object. */
  readonly name: string
  readonly title: string
  readonly zone: ReportedZone | undefined
  /** In the order of their names, so that a node keeps its position. */
  readonly nodes: readonly NodeSummary[]
  readonly counts: StateCounts
}

export const zoneNodesOf = (node: Node): ZoneNodes => ({
  zone: zoneOf(node),
  nodes: [summarizeNode(node)],
})

export function zoneViews(
  parts: Iterable<ZoneNodes>,
  zones: ReadonlyMap<string, ReportedZone>,
): ZoneView[] {
  const byZone = new Map<string, NodeSummary[]>([...zones.keys()].map((name) => [name, []]))
  for (const part of parts) {
    const nodes = byZone.get(part.zone) ?? []
    for (const node of part.nodes) nodes.push(node)
    byZone.set(part.zone, nodes)
  }
  // Where there is only one region, its name would only be in the way.
  const regions = new Set([...zones.values()].map(({ spec }) => spec?.region))
  return [...byZone]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, nodes]) => {
      const zone = zones.get(name)
      nodes.sort((a, b) => (a.name < b.name ? -1 : 1))
      const title = titleOf(name, zone, regions.size > 1)
      return { name, title, zone, nodes, counts: countStates(nodes) }
    })
    .filter(({ nodes, zone }) => nodes.length > 0 || (zone?.status?.nodes ?? 0) > 0)
}

function titleOf(name: string, zone: ReportedZone | undefined, withRegion: boolean): string {
  if (name === NO_ZONE) return 'no zone'
  const { region = '', zone: inner = '' } = zone?.spec ?? {}
  const parts = withRegion || inner === '' ? [region, inner] : [inner]
  return parts.filter(Boolean).join(' / ') || name
}

const noNodes = { evicting: 0, unknown: 0, notReady: 0, cordoned: 0, ready: 0 }

function countStates(nodes: Iterable<NodeSummary>): StateCounts {
  const counts = { ...noNodes }
  for (const { state } of nodes) counts[state]++
  return counts
}

export function sumCounts(views: readonly ZoneView[]): StateCounts {
  const sum = { ...noNodes }
  for (const { counts } of views)
    for (const state of Object.keys(sum) as NodeState[]) sum[state] += counts[state]
  return sum
}

export const totalNodes = (counts: StateCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** A cordoned node is an operator's choice, not a fault. */
export const isBad = (state: NodeState): boolean => state !== 'ready' && state !== 'cordoned'

/** In observe mode: how many nodes the monitor counts as not ready without marking them. */
export function unmarkedOf({ zone, counts }: ZoneView, fleet: ReportedFleet | undefined): number {
  if (fleet?.status?.mode !== 'observe') return 0
  return Math.max(0, (zone?.status?.notReady ?? 0) - badOf(counts))
}

export const badOf = ({ evicting, unknown, notReady }: StateCounts): number =>
  evicting + unknown + notReady
